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

  treblehook plugin <command> --help says more of each.

${codes}`,
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
