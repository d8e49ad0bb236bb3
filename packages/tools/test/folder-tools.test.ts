// Owns the laws of the folder tools: nothing outside the folder is seen or touched, and what is left out is said.
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { Folder } from '../src/folder.js';
import { deleteFileTool, folderTools } from '../src/index.js';
import { folderWith } from './temp.js';

const callTool = (): Promise<never> => Promise.reject(new Error('none here'));
const fire = undefined as never; // none of them reads it
const origin = { runId: 'r', sessionId: 's', agentPath: ['agent'], personality: 'p', turn: 0 };

async function run(tool: Tool | undefined, args: object, signal = new AbortController().signal): Promise<string> {
  const checked = await tool!.input['~standard'].validate(args);
  if (checked.issues) throw new Error(checked.issues[0]!.message);
  return (await tool!.execute(checked.value, { signal, callId: 'c', origin, callTool, fire })) as string;
}
const toolsOf = (dir: string) => {
  const tools = new Map(folderTools(dir).map((tool) => [tool.name, tool]));
  return {
    list: (args: object = {}, signal?: AbortSignal) => run(tools.get('list_files'), args, signal),
    read: (args: object) => run(tools.get('read_file'), args),
    search: (args: object, signal?: AbortSignal) => run(tools.get('search_files'), args, signal),
    remove: (args: object) => run(deleteFileTool(dir), args),
  };
};

/** A folder beside another one, with every way out of it that a path can name. */
async function withWaysOut() {
  const base = await folderWith({ 'inside/a.txt': 'mine', 'outside/secret.txt': 'hush', 'inside-too/b.txt': 'beside' });
  const dir = join(base, 'inside');
  await symlink(join(base, 'outside'), join(dir, 'link-dir'));
  await symlink(join(base, 'outside/secret.txt'), join(dir, 'link-file'));
  await symlink('link-dir', join(dir, 'link-link'));
  return { base, dir, ...toolsOf(dir) };
}
const waysOut = (base: string) => [
  '../outside/secret.txt',
  'sub/../../outside/secret.txt',
  './/..//outside//secret.txt',
  join(base, 'outside/secret.txt'),
  '/etc/passwd',
  'link-dir/secret.txt',
  'link-file',
  'link-link/secret.txt',
  '../inside-too/b.txt',
  '..',
  '../inside/../outside/secret.txt',
];

describe('the folder is the world', () => {
  it('no path leads out, and no refusal tells what is there', async () => {
    const { base, list, read, search, remove } = await withWaysOut();
    for (const path of waysOut(base)) {
      for (const use of [read, list, remove, (args: object) => search({ ...args, query: 'u' })]) {
        const error = await use({ path }).then(
          (out) => new Error(`'${path}' was taken: ${out}`),
          (refused: Error) => refused,
        );
        expect(error.message, path).toMatch(/outside the folder|out of the folder|no regular file|may not be read/);
        expect(error.message).not.toContain('hush');
      }
    }
    expect(await readFile(join(base, 'outside/secret.txt'), 'utf8')).toBe('hush');
  });

  it('whether something exists outside is not told', async () => {
    const { base, read } = await withWaysOut();
    const said = async (path: string) =>
      (await read({ path }).catch((error: Error) => error.message)).replace(path, '…');
    expect(await said('../outside/no.txt')).toBe(await said('../outside/secret.txt'));
    expect(await said(join(base, 'outside/no.txt'))).toBe(await said(join(base, 'outside/secret.txt')));
  });

  it('a name that merely begins with two dots is inside', async () => {
    const { read } = toolsOf(await folderWith({ '..a.txt': 'x', '...': 'y' }));
    expect([await read({ path: '..a.txt' }), await read({ path: '...' })]).toEqual(['x', 'y']);
  });

  it('a path with a NUL, an empty one and a link to nowhere are refused with a reason', async () => {
    const { dir, read } = await withWaysOut();
    await symlink('nowhere', join(dir, 'dangling'));
    await symlink('loop', join(dir, 'loop'));
    await expect(read({ path: 'a\0.txt' })).rejects.toThrow(/NUL/);
    await expect(read({ path: '' })).rejects.toThrow();
    await expect(read({ path: 'dangling' })).rejects.toThrow("there is no 'dangling'");
    await expect(read({ path: 'loop' })).rejects.toThrow(/leads nowhere/);
  });

  it('a search or a listing that is aborted ends with the reason, before it goes on', async () => {
    const { search, list } = toolsOf(await folderWith({ 'a.txt': 'x', 'b/c.txt': 'x' }));
    const reason = new Error('enough');
    const aborted = AbortSignal.abort(reason);
    await expect(search({ query: 'x' }, aborted)).rejects.toBe(reason);
    await expect(search({ query: 'x', path: 'a.txt' }, aborted)).rejects.toBe(reason);
    await expect(list({ recursive: true }, aborted)).rejects.toBe(reason);
  });

  it.runIf(process.platform === 'linux')('a file that was read or searched is closed', async () => {
    const dir = await folderWith({ 'a.txt': 'x' });
    const { read, search } = toolsOf(dir);
    await Promise.all([read({ path: 'a.txt' }), search({ query: 'x' })]);
    const open = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')), // swallows one that is closed by now
    );
    expect(open.filter((path) => path.startsWith(dir))).toEqual([]);
  });

  it('listing and searching follow no link', async () => {
    const { list, search } = await withWaysOut();
    expect(await list()).toBe('a.txt\nlink-dir@\nlink-file@\nlink-link@');
    expect(await list({ recursive: true })).not.toContain('secret');
    expect(await search({ query: 'hush' })).toBe("'hush' is not found\n[1 files searched]");
  });

  it('a folder that itself is reached by a link works, and errors do not name it', async () => {
    const base = await folderWith({ 'real/a.txt': 'x' });
    await symlink('real', join(base, 'alias'));
    const { read } = toolsOf(join(base, 'alias'));
    expect(await read({ path: 'a.txt' })).toBe('x');
    const error = await read({ path: 'no.txt' }).catch((refused: Error) => refused);
    expect((error as Error).message).toBe("there is no 'no.txt'");
    const fleeting = join(base, 'fleeting');
    await mkdir(fleeting);
    const { list } = toolsOf(fleeting);
    await rm(fleeting, { recursive: true });
    await expect(list()).rejects.toThrow('the folder is not there');
  });

  it('a folder that is not there, or no folder, is refused when the tools are made', async () => {
    const base = await folderWith({ 'a.txt': 'x' });
    for (const make of [folderTools, deleteFileTool]) {
      for (const name of ['gone', 'a.txt']) {
        const refused = expect.objectContaining({ code: 'TH_OPTION_INVALID', message: expect.stringContaining(name) });
        expect(() => make(join(base, name))).toThrow(refused);
      }
    }
  });

  it('a pipe is refused at once instead of waited for', async () => {
    const dir = await folderWith();
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    const { read, search, remove } = toolsOf(dir);
    await expect(read({ path: 'pipe' })).rejects.toThrow(/no regular file/);
    await expect(remove({ path: 'pipe' })).rejects.toThrow(/no regular file/);
    expect(await search({ query: 'x' })).toContain('0 files searched');
    expect(await search({ query: 'x', path: 'pipe' })).toContain('0 files searched');
  });
});

describe('what is left out is said', () => {
  it('a binary file is named as such', async () => {
    const { read, search } = toolsOf(
      await folderWith({ 'b.bin': new Uint8Array([1, 0, 2]), 'l.txt': Buffer.from('é', 'latin1') }),
    );
    await expect(read({ path: 'b.bin' })).rejects.toThrow("'b.bin' is no text: 3 bytes of something else");
    await expect(read({ path: 'l.txt' })).rejects.toThrow(/no text/);
    expect(await search({ query: 'x' })).toContain('2 files searched, 2 of them no text');
  });

  it('a large file is read to a limit, never in the middle of a character', async () => {
    const { read } = toolsOf(await folderWith({ 'big.txt': `abc\n${'ü\n'.repeat(700_000)}` }));
    const out = await read({ path: 'big.txt', offset: 666_660 });
    expect(out).toMatch(
      /^(ü\n){7}\[the file has 2100004 bytes, of which the first 2000000 are looked at; lines 666660 to 666666 of 666666 or more\]$/,
    );
    await expect(read({ path: 'big.txt', offset: 700_000 })).rejects.toThrow(/only the first 2000000 bytes of 2100004/);
  });

  it('a part of a file says which lines it is', async () => {
    const text = Array.from({ length: 10 }, (_, at) => `line ${at + 1}`).join('\n');
    const { read } = toolsOf(await folderWith({ 'a.txt': `${text}\n`, 'empty.txt': '' }));
    expect(await read({ path: 'a.txt' })).toBe(text);
    expect(await read({ path: 'a.txt', offset: 3, limit: 2 })).toBe('line 3\nline 4\n[lines 3 to 4 of 10]');
    expect(await read({ path: 'empty.txt' })).toBe('(empty file)');
    await expect(read({ path: 'a.txt', offset: 11 })).rejects.toThrow("'a.txt' has 10 lines: nothing stands at 11");
  });

  it('a long text is cut at whole lines, and one endless line inside', async () => {
    const { read } = toolsOf(
      await folderWith({ 'a.txt': 'y'.repeat(99).concat('\n').repeat(1_000), 'one.txt': 'z'.repeat(50_000) }),
    );
    expect(await read({ path: 'a.txt' })).toMatch(/\n\[lines 1 to 400 of 1000\]$/);
    expect(await read({ path: 'one.txt' })).toMatch(/^z{40000}\n\[line 1 is cut at 40000 of its 50000 characters\]$/);
  });

  it('a listing beyond the limit says so', async () => {
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`f${String(at).padStart(3, '0')}`, '']));
    const { list } = toolsOf(await folderWith(many));
    expect(await list()).toMatch(/f499\n\[500 of 501 entries are shown\]$/);
    expect(await list({ recursive: true })).toMatch(/f499\n\[more than 500 entries: list a folder further down/);
  });

  it('a name with a line break in it does not pass for two entries', async () => {
    const { list, search } = toolsOf(await folderWith({ 'a\nfake.txt': 'needle' }));
    expect(await list()).toBe('a\\nfake.txt');
    expect(await search({ query: 'needle' })).toBe('a\\nfake.txt:1: needle\n[1 files searched]');
  });

  it('a search stops at its limit, and folders of machine output are listed and not entered', async () => {
    const dir = await folderWith({
      'a.txt': 'needle\n'.repeat(60),
      'node_modules/x/b.txt': 'needle',
      '.git/c': 'needle',
    });
    const { list, search } = toolsOf(dir);
    const out = await search({ query: 'NEEDLE' });
    expect(out.split('\n').filter((line) => line.includes(': needle'))).toHaveLength(50);
    expect(out).toContain('stopped at 50 hits');
    expect(await search({ query: 'needle', path: 'node_modules' })).toContain('node_modules/x/b.txt:1: needle');
    expect(await list({ recursive: true })).toMatch(
      /^\.git\/\na\.txt\nnode_modules\/\n\[not entered: \.git, node_modules/,
    );
  });

  it('an abort ends a search', async () => {
    const { search } = toolsOf(await folderWith({ 'a.txt': 'x', 'b.txt': 'x' }));
    await expect(search({ query: 'x' }, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });

  it('each path is an argument that observers are told of', async () => {
    const dir = await folderWith();
    expect([...folderTools(dir), deleteFileTool(dir)].map(({ name, paths }) => [name, paths])).toEqual(
      ['list_files', 'read_file', 'search_files', 'delete_file'].map((name) => [name, ['path']]),
    );
  });
});

describe('delete_file', () => {
  it('deletes that file and no other', async () => {
    const dir = await folderWith({ 'sub/a.txt': 'x', 'sub/b.txt': 'y' });
    const { remove, list } = toolsOf(dir);
    expect(await remove({ path: 'sub/../sub/a.txt' })).toBe('deleted sub/a.txt');
    expect(await list({ path: 'sub' })).toBe('sub/b.txt');
  });

  it('refuses a folder, the folder itself and a link', async () => {
    const dir = await folderWith({ 'sub/a.txt': 'x' });
    await symlink('sub/a.txt', join(dir, 'link'));
    await mkdir(join(dir, 'deep'));
    await writeFile(join(dir, 'deep/kept.txt'), '');
    const { remove } = toolsOf(dir);
    for (const path of ['sub', '.', 'link', 'deep']) await expect(remove({ path })).rejects.toThrow();
    expect(await readFile(join(dir, 'sub/a.txt'), 'utf8')).toBe('x');
  });
});

describe('one file has one name', () => {
  const sealed = async (tool: Tool, args: object): Promise<unknown> => {
    const checked = await tool.input['~standard'].validate(args);
    return checked.issues === undefined ? (checked.value as { path: string }).path : checked.issues[0]!.message;
  };

  it('the path that is sealed is the normal one, so a policy compares what will be opened', async () => {
    const dir = await folderWith({ 'sub/keys.env': 'HUSH' });
    await symlink('sub/keys.env', join(dir, 'innocent.txt'));
    await symlink('sub', join(dir, 'other'));
    const spellings = [
      'sub/keys.env',
      './sub//keys.env',
      'x/../sub/./keys.env',
      join(dir, 'sub/keys.env'),
      'other/keys.env',
    ];
    for (const tool of folderTools(dir)) {
      for (const path of [...spellings, 'innocent.txt']) {
        expect(
          await sealed(tool, { path, ...(tool.name === 'search_files' && { query: 'q' }) }),
          `${tool.name} ${path}`,
        ).toBe('sub/keys.env');
      }
    }
    for (const path of spellings) expect(await sealed(deleteFileTool(dir), { path })).toBe('sub/keys.env');
    expect(await sealed(deleteFileTool(dir), { path: 'innocent.txt' })).toBe('innocent.txt');
    expect(await sealed(deleteFileTool(dir), { path: 'other/not-yet.txt' })).toBe('sub/not-yet.txt');
    expect(await sealed(folderTools(dir)[0]!, { path: 'sub/.' })).toBe('sub');
    expect(await sealed(folderTools(dir)[0]!, { path: './' })).toBe('.');
  });

  it('a file that is spelled like a folder is refused, by the schema and by the body', async () => {
    const dir = await folderWith({ 'keys.env': 'HUSH' });
    const { read, remove, search } = toolsOf(dir);
    const tools = [...folderTools(dir), deleteFileTool(dir)];
    for (const path of ['keys.env/', 'keys.env/.', 'keys.env//', './keys.env/x/..']) {
      for (const use of [read, remove, (args: object) => search({ ...args, query: 'HUSH' })]) {
        await expect(use({ path }), path).rejects.toThrow('it is a file');
      }
      for (const name of ['read_file', 'delete_file']) {
        const tool = tools.find((one) => one.name === name)!;
        const body = async () =>
          tool.execute({ path, offset: 1 }, { signal: AbortSignal.any([]), callId: 'c', origin, callTool, fire });
        await expect(body(), path).rejects.toThrow(/no folder|no regular file/);
      }
    }
    expect(await readFile(join(dir, 'keys.env'), 'utf8')).toBe('HUSH');
  });
});

describe('a folder that is swapped for a link between the look and the use', () => {
  const swapped = async () => {
    const base = await folderWith({ 'in/d/f': 'mine', 'out/f': 'hush', 'out/secret': '' });
    const folder = new Folder(join(base, 'in'));
    const swap = async () => {
      await rename(join(base, 'in/d'), join(base, 'in/was'));
      await symlink(join(base, 'out'), join(base, 'in/d'));
    };
    return { base, folder, swap };
  };

  it('opens, lists and deletes nothing outside', async () => {
    const { base, folder, swap } = await swapped();
    const [file, itself, dir] = [await folder.find('d/f'), await folder.findFileItself('d/f'), await folder.find('d')];
    await swap();
    const moved = /was moved, or a link put in its place/;
    await expect(folder.open(file)).rejects.toThrow(moved);
    await expect(folder.entries(dir, 10)).rejects.toThrow(moved);
    await expect(folder.remove(itself)).rejects.toThrow(moved);
    expect(await readFile(join(base, 'out/f'), 'utf8')).toBe('hush');
  });

  it('is no fault when it leads to the same file', async () => {
    const { base, folder } = await swapped();
    const file = await folder.find('d/f');
    await rename(join(base, 'in/d'), join(base, 'in/was'));
    await symlink('was', join(base, 'in/d'));
    const handle = await folder.open(file);
    expect(await handle.readFile('utf8')).toBe('mine');
    await handle.close();
  });
});

it('a fault of the disk names no path of the machine', async () => {
  const dir = await folderWith({ 'd/f': '' });
  const folder = new Folder(dir);
  const [gone, file] = [await folder.find('d'), await folder.findFileItself('d/f')];
  await rm(join(dir, 'd'), { recursive: true });
  // each is begun when its turn comes: a rejection that nobody awaits yet would end the run
  const uses: readonly (() => Promise<unknown>)[] = [
    () => folder.entries(gone, 1),
    () => folder.isFolder(gone),
    () => folder.remove(file),
    () => folder.open(file),
  ];
  for (const use of uses) {
    const { message } = await use().then(
      () => new Error('taken'),
      (error: Error) => error,
    );
    expect(message).toMatch(/^there is no 'd(\/f)?'$/);
  }
});
