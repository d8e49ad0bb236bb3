// Owns the shell lines that are measured.

export const line = 'cd packages/core && npm test -- --run 2>/dev/null | tail -n 20';
export const wrapped = `sudo -u me env CI=1 bash -lc 'git log --since="$(date +%F)" && npm run build'`;
