/** What the helps of plugins teach. */
import { exitCodes } from '../io.js';
import { ends } from './shared.js';

const codes = `EXIT CODES

  ${exitCodes.done}    it is written
  ${exitCodes.failed}    the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a name, a folder that is not empty or may not be written to; nothing is written over
${ends}`;

export const pluginLessons = {
  plugin: `EXAMPLES

  treblehook plugin new acme-notes
  treblehook plugin list
  treblehook plugin check ./acme-notes --yes

  treblehook plugin <command> --help says more of each.

${codes}`,
  'plugin list': `EXAMPLES

  treblehook plugin list
  treblehook plugin list --dir ~/project --json | jq -r '.plugins[] | select(.state != "trusted") | .named'

  Of each plugin that treblehook.config.* names: trusted, untrusted (treblehook trust shows it, and asks), stale, broken, or
  not imported, since no personality lists it. Nothing without consent is imported for it.

EXIT CODES

  ${exitCodes.done}    it is printed
  ${exitCodes.failed}    the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a folder, a config, a config that is a module without consent
${ends}`,
  'plugin check': `EXAMPLES

  treblehook plugin check ./acme-notes --yes
  treblehook plugin check acme-notes-1.0.0.tgz --settings '{"patterns":["secret"]}' --json

  What is looked at without its code: the manifest, the files that the package names, its types, what it imports, its
  README. Then, in a process of its own, whether it loads, registers what it declares, leaves nothing behind, and stands
  beside a second one undisturbed. That runs its code with your rights: you are asked on a terminal unless its bytes have
  consent, and elsewhere --yes says so.

EXIT CODES

  ${exitCodes.done}    each check has passed
  ${exitCodes.failed}    a check has failed; or the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a path, a tarball with paths that leave it
  ${exitCodes.waiting}    its code was not run: nobody was asked, or the answer was no
${ends}`,
  'plugin new': `EXAMPLES

  treblehook plugin new acme-notes
  treblehook plugin new @acme/treblehook-notes --dir plugins/notes

  It writes a package of its own, which passes its own tests as it is:

    src/index.ts            definePlugin: settings, a Modifying hook, a Void hook, a tool
    test/plugin.test.ts     the laws that every plugin keeps (pluginLaws), and a run with it (testHost)
    package.json            what it declares stands under "treblehook": plugin, id, apiVersion, hooks, tools, config
    README.md               what it may change, its settings, its limitations

  The id is the name without its scope and without treblehook- or treblehook-plugin-: what personalities list. Change
  what it does in src, what it declares in package.json: the tests say when the two differ.

    cd acme-notes && npm install
    npm test                 the laws and the tests
    npm run check            the compiler
    npm run build            dist, which is what hosts import

${codes}`,
};
