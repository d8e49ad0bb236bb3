// Owns the laws of the trust file: nobody else writes it, two writers lose nothing, and it is whole at any time.
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { grant, readTrustFile, revoke, type ConsentItem } from '../../src/index.js';
import { refusal } from '../discovery/kit.js';
import { folderWith } from '../temp.js';

const item = (id: string, more: Partial<ConsentItem> = {}): ConsentItem => ({
  kind: 'plugin',
  id,
  origin: 'local-author',
  folder: '/f',
  source: `./${id}.js`,
  place: `/f/${id}.js`,
  digest: 'd',
  files: { [`${id}.js`]: 'd' },
  ...more,
});
const by = { by: 'somebody', now: () => 0 };

describe('a trust file', () => {
  it('keeps who consented to what, and when, for its owner alone', async () => {
    const file = join(await folderWith(), 'new/folder/trust.json');
    expect(await readTrustFile(file)).toEqual([]);
    await grant(file, [item('a')], by);
    expect(await readTrustFile(file)).toEqual([{ ...item('a'), by: 'somebody', at: '1970-01-01T00:00:00.000Z' }]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(file, '..'))).toEqual(['trust.json']);
  });

  it('loses nothing to many writers at once', async () => {
    const file = join(await folderWith(), 'trust.json');
    const ids = Array.from({ length: 25 }, (_, at) => `p${at}`);
    await Promise.all(ids.map((id) => grant(file, [item(id)], by)));
    expect((await readTrustFile(file)).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    await Promise.all(ids.slice(5).map((id) => revoke(file, (record) => record.id === id)));
    expect((await readTrustFile(file)).map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 5).toSorted());
  });

  it('has one record for each thing and place', async () => {
    const file = join(await folderWith(), 'trust.json');
    await grant(file, [item('a'), item('a', { place: '/f/b.js' }), item('a', { folder: '/g' })], by);
    await grant(file, [item('a', { digest: 'e' })], by);
    const records = await readTrustFile(file);
    expect(records.map(({ folder, place, digest }) => [folder, place, digest])).toEqual([
      ['/f', '/f/b.js', 'd'],
      ['/g', '/f/a.js', 'd'],
      ['/f', '/f/a.js', 'e'],
    ]);
    expect((await revoke(file, ({ folder }) => folder === '/g')).length).toBe(1);
    expect((await readTrustFile(file)).length).toBe(2);
  });

  it.each([
    ['group-writable', 0o620],
    ['world-writable', 0o602],
  ])('that is %s is refused with the mend', async (_, mode) => {
    const file = join(await folderWith({ 'trust.json': '{"version":1,"records":[]}' }), 'trust.json');
    await chmod(file, mode);
    const { code, message } = await refusal(() => readTrustFile(file));
    expect(code).toBe('TH_CONFIG_INVALID');
    expect(message).toMatch(/trust\.json: others may write it: chmod 600 .*trust\.json, once you have read it$/);
    expect((await refusal(() => grant(file, [item('a')], by))).message).toMatch(/chmod 600/);
  });

  it('that is a link, or no file, is refused with the mend', async () => {
    const dir = await folderWith({ 'real.json': '{"version":1,"records":[]}' });
    await symlink(join(dir, 'real.json'), join(dir, 'trust.json'));
    await mkdir(join(dir, 'folder.json'));
    expect((await refusal(() => readTrustFile(join(dir, 'trust.json')))).message).toMatch(
      /it is a link, .*: put the file itself there/,
    );
    expect((await refusal(() => grant(join(dir, 'trust.json'), [], by))).message).toMatch(/it is a link/);
    expect((await refusal(() => readTrustFile(join(dir, 'folder.json')))).message).toMatch(/it is no file/);
    expect(await readFile(join(dir, 'real.json'), 'utf8')).toBe('{"version":1,"records":[]}');
  });

  it.each<[string, RegExp]>([
    ['{', /trust\.json:\d+:\d+: /],
    ['[]', /trust\.json: the whole is a list: write a map/],
    ['{}', /a trust file says "version": 1/],
    ['{"version":2,"records":[]}', /a trust file says "version": 1/],
    ['{"version":1,"record":[]}', /there is no 'record' here: did you mean 'records'/],
    ['{"version":1,"records":[{"kind":"plugin"}]}', /trust\.json at records\[0\]: 'id' is missing/],
    [
      JSON.stringify({ version: 1, records: [{ ...item('a'), kind: 'all', by: 'x', at: 'y' }] }),
      /kind is config or plugin, not 'all'/,
    ],
    [
      JSON.stringify({ version: 1, records: [{ ...item('a'), files: { a: 1 }, by: 'x', at: 'y' }] }),
      /a number: write a text/,
    ],
  ])('with %s is refused with the place', async (text, message) => {
    const file = join(await folderWith({ 'trust.json': text }), 'trust.json');
    await chmod(file, 0o600);
    expect((await refusal(() => readTrustFile(file))).message).toMatch(message);
  });

  it('waits for no lock of a process that is gone', async () => {
    const file = join(await folderWith({ 'trust.json.lock': '999999999 gone' }), 'trust.json');
    await Promise.all([grant(file, [item('a')], by), grant(file, [item('b')], by)]);
    expect((await readTrustFile(file)).length).toBe(2);
    expect(await readdir(join(file, '..'))).toEqual(['trust.json']);
  });

  it('says whose lock stands in the way', async () => {
    const file = join(await folderWith(), 'trust.json');
    await writeFile(`${file}.lock`, `${process.pid} other`);
    const { message } = await refusal(() => grant(file, [item('a')], by));
    expect(message).toMatch(
      /trust\.json\.lock: another process has held this lock for 5000 ms: if none is writing, delete it/,
    );
    expect(await readTrustFile(file)).toEqual([]);
  });
});
