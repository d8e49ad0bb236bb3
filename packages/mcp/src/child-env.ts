/** The environment of a server process: as little as programs start with, and what it is given. */

const posix = ['PATH', 'HOME'];
/** Without these no program starts there, or it finds no folder of its user. */
const windows = ['PATH', 'PATHEXT', 'COMSPEC', 'SYSTEMROOT', 'TEMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'];

export function childEnv(given: Readonly<Record<string, string>>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of process.platform === 'win32' ? windows : posix) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...given };
}
