import { shellWord } from './quoting';
import { DOWNLOAD_COMMAND_LINE, type Recipe, startRecipes } from './start-recipes';

/** Downloads that each instance serves in its own version, without a login. */
export const COMMAND_LINE_PATH = '/api/cli/runward.mjs';
export const CLIENT_PATH = '/api/clients/typescript/runward-client.tgz';

/** First commands with a new token. A variable replaces the token. */
export function tokenRecipes(origin: string): Recipe[] {
  const example = { planId: '', execution_mode: 'dry_run' as const };
  const start = startRecipes({ origin, plan: 'name of a plan', environment: null, request: example, secrets: [] });
  const ciRecipes = start.filter(({ key }) => key === 'github' || key === 'gitlab');
  return [
    {
      key: 'curl',
      label: 'curl',
      text: [
        'export RUNWARD_TOKEN=…',
        `curl -fsS ${shellWord(`${origin}/api/auth/me`)} \\`,
        '  -H "Authorization: Bearer $RUNWARD_TOKEN"',
      ].join('\n'),
    },
    {
      key: 'cli',
      label: 'Command line',
      text: [
        `export RUNWARD_URL=${shellWord(origin)}`,
        DOWNLOAD_COMMAND_LINE,
        '# asks for the token and saves it in a file that only you can read',
        'node runward.mjs login "$RUNWARD_URL"',
        'node runward.mjs whoami',
      ].join('\n'),
    },
    {
      key: 'typescript',
      label: 'TypeScript',
      text: [
        `npm install ${shellWord(`${origin}${CLIENT_PATH}`)}`,
        "node --input-type=module -e '",
        '  import { connect } from "@runward/client";',
        `  const { api } = connect({ url: ${JSON.stringify(origin)}, token: process.env.RUNWARD_TOKEN });`,
        '  const { data } = await api.GET("/api/auth/me");',
        "  console.log(data.name)'",
      ].join('\n'),
    },
    ...ciRecipes,
  ];
}
