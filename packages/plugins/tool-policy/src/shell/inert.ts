/** Programs that run none of their words, whatever these are: of the others nobody says so. */

/** Each was looked up for an option that runs something; `sort`, `tar` and their like have one, and a room for it. */
const names: ReadonlySet<string> = new Set(
  `[ [[ : alias apk apropos ar base32 base64 basename basenc bg break brew bunzip2 bzcat bzip2 cal cat cd chdir chgrp chmod
  chown cksum clear cmp column comm continue cp csplit cut date declare df dig diff diff3 dir dircolors dirname dirs disown
  dnf du echo egrep expand export expr factor false fc fg fgrep file fmt fold free fuser getconf getent getopt getopts grep
  groups gunzip gzip head hexdump history host hostid hostname iconv id ifconfig integer iostat jobs join journalctl jq kill
  killall last let link ln local locale logname logout ls lsblk lsof lz4 md5sum mkdir mkfifo mktemp mv netstat nl nm nproc
  nslookup numfmt objdump od pacman paste pathchk pgrep pidof ping pkill popd pr printenv printf ps pushd pwd read readelf
  readlink readonly realpath reset return rev rm rmdir seq service sha1sum sha224sum sha256sum sha384sum sha512sum shasum
  shift shopt shred shuf size sleep ss stat strings stty sum sync tac tail tee test touch tput tr traceroute tree true
  truncate tsort tty type typeset ulimit umask unalias uname unexpand uniq unlink unset unxz unzip unzstd uptime users vmstat
  w wait wc whatis whereis which who whoami xmllint xxd xz xzcat yes yum yq zcat zstd zypper systemctl b2sum cpuid exit`
    .split(/\s+/),
); // prettier-ignore

/** True of one that is found where the system keeps them: `./ls` is whatever somebody put there. */
export const isInert = (path: string, program: string): boolean =>
  names.has(program.replace(/\.exe$/i, '')) && /^(?:(?:\/usr)?\/bin\/)?[^/\\]*$/.test(path);
