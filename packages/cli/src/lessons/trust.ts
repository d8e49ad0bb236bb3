/** What the helps of consent and of `why` teach. */
import { exitCodes } from '../io.js';
import { ends, where } from './shared.js';

const codesOf = (done: string, waiting?: string): string => `EXIT CODES

  ${exitCodes.done}    ${done}
  ${exitCodes.failed}    the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a folder, a config, a config that is a module without consent
${waiting === undefined ? '' : `  ${exitCodes.waiting}    ${waiting}\n`}${ends}`;

const place = `ENVIRONMENT

  TREBLEHOOK_TRUST  the file that consent is kept in; else treblehook/trust.json in $XDG_CONFIG_HOME, else in ~/.config`;

export const trustLessons = {
  trust: `EXAMPLES

  treblehook trust
  treblehook trust --dir ~/project --yes
  treblehook trust --json | jq '.items[] | select(.state != "trusted")'
  treblehook trust list
  treblehook trust revoke acme-notes

  What treblehook.config.* of the folder names and a personality lists is shown: where each stands, its files with their
  digests, what its manifest declares, and of a stale one what changed. Nothing of it is run for that. You are asked on a
  terminal; elsewhere --yes consents. Consent is for the folder and for the bytes that were shown: other bytes are stale, and
  refused until you are asked again. A config that is a module is asked about first, then what it names.

${place}

${codesOf('all that would run has consent', 'something has none: nobody was asked, or the answer was no')}`,
  'trust list': `EXAMPLES

  treblehook trust list --json | jq -r '.records[].folder'

${place}

${codesOf('it is printed')}`,
  'trust revoke': `EXAMPLES

  treblehook trust revoke                           all of the current folder
  treblehook trust revoke acme-notes --dir ~/project

${place}

${codesOf('it is taken back')}`,
  why: `EXAMPLES

  treblehook why acme-notes
  treblehook why write_file --policy policy.yaml
  treblehook why toolPolicy --json

  Of a plugin: its state, what it registered, where it sits in each plan and why, which personalities list it. Of a tool:
  whose it is, who may offer it, which rule names it, who may change or deny it. Of a hook point: its plan. And what each did
  in the last run that is kept. Plugins that have consent are set up for it and taken away again; no other is imported.

${where}

${codesOf('it is printed')}`,
};
