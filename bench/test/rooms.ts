// Owns what the tests of all benches need: a command in a process of its own, and the contenders of a room.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const bench = fileURLToPath(new URL('..', import.meta.url));
const loader = pathToFileURL(fileURLToPath(new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url))).href;

/** The command of a room as the script of the root runs it. */
export function command(
  room: string,
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', loader, `${room}.ts`, ...args], { cwd: bench });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => (said[stream] += text));
    }
    child.on('close', (code) => resolve({ code, ...said }));
  });
}

type Made = { run?: () => unknown; check?: () => unknown };
export type Cases = Record<string, Record<string, () => Made | Promise<Made>>>;

/** Imports the contenders of all files of a room: file → case → contender → how it is made. */
export async function allCases(room: string): Promise<Record<string, Cases>> {
  const folder = new URL(`../${room}/cases/`, import.meta.url);
  const modules = readdirSync(folder).map(async (file) => {
    const { cases } = (await import(/* @vite-ignore */ new URL(file, folder).href)) as { cases: Cases };
    return [file.replace('.mjs', ''), cases] as const;
  });
  return Object.fromEntries(await Promise.all(modules));
}
