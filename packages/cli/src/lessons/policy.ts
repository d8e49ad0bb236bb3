/** What the helps of policies teach. */
import { where, policyCodes, policyCodesOf } from './shared.js';

export const policyLessons = {
  policy: `EXAMPLES

  treblehook policy check policy.yaml --strict
  treblehook policy explain read_file '{"path":"secrets/key.pem"}' --policy policy.yaml
  treblehook policy test cases.yaml
  treblehook policy simulate session_… --policy stricter.yaml

  Nothing is run by these. treblehook policy <command> --help says more of each.

${policyCodes}`,
  'policy check': `EXAMPLES

  treblehook policy check policy.yaml
  treblehook policy check policy.yaml --dir ~/project --strict
  treblehook policy check policy.yaml --mcp servers.yaml --strict

  A policy holds rules, in no order: the strictest of those that match wins, and there is no allow.

    unlisted: { mcp: ask, plugin: deny }     what happens to tools that no rule names
    unknown: deny                            what happens when it cannot be told whether a rule matches
    rules:
      - id: stay-inside
        tools: '*'
        paths: { not: { within: '.' } }
        decision: deny
        reason: files outside of the folder are nobody's business here

  .treblehook/policy.yaml of the folder, and the policy of a personality, can only tighten it.
  Of the built-in tools all are known. Whether a rule for mcp:… matches a tool is known with --mcp, which starts the
  servers of the file, prints the names of their tools and ends them; for plugin:… it is not known here. Neither is a fault of --strict.

${policyCodesOf('it is printed', '; with --strict what matches nothing')}`,
  'policy explain': `EXAMPLES

  treblehook policy explain read_file '{"path":"a/../../b"}' --policy policy.yaml
  treblehook policy explain mcp:files/write_file '{"path":"/etc/hosts"}' --policy policy.yaml --json
  treblehook policy explain mcp:files/read_file '{"path":"a.md"}' --policy policy.yaml \\
    --declares '{"annotations":{"readOnlyHint":true},"paths":["path"]}'

  Every rule that names the tool is shown with each of its tests: what holds, what does not, and what cannot be told.
  The arguments of a built-in tool are those that would be sealed: paths in their normal form. Each is known here, whatever
  --tools would offer; what no rule of the policy names and may change something is asked about by the layer 'default'.
  --mcp starts the servers of a file and asks them what their tools declare. Of another tool nothing is known: it is judged
  by the worst hints, unless --declares says what it declares.

${policyCodesOf('it is printed', ', arguments')}`,
  'policy test': `EXAMPLES

  treblehook policy test cases.yaml
  treblehook policy test cases.yaml --policy other.yaml --json
  treblehook policy test cases.yaml --mcp servers.yaml

    policy: policy.yaml
    cases:
      - tool: read_file
        args: { path: secrets/key.pem }
        expect: deny                         deny, ask, silent, or refused: its tool takes no such arguments
        rule: no-secrets                     if a certain rule should say so
      - { tool: mcp:files/read_file, args: { path: a.md }, expect: ask }
      - { tool: list_files, personality: clerk, expect: silent }     who calls; else that of --personality
      - tool: mcp:files/get                  of a tool that is not built in: what it declares, else the worst holds
        annotations: { readOnlyHint: true }
        paths: [path]                        names of its arguments; commands and urls alike
        args: { path: a.md }
        expect: silent

${policyCodesOf('each case has passed', '', 'a case has failed')}`,
  'policy simulate': `EXAMPLES

  treblehook policy simulate session_… --policy stricter.yaml
  treblehook policy simulate session_… --policy stricter.yaml --json | jq '.differences'

  Each call that the guards of the session have seen is judged by the policy that you name, from the folder that the
  session worked in as it is now, and with the policy of the personality that made it. Calls whose verdict would be another one are listed.

${where}

${policyCodesOf('it is printed', ', a session')}`,
};
