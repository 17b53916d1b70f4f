import { Command } from 'commander';
import type { Context } from './commands/command.ts';
import { addApi } from './commands/api.ts';
import { addHelp } from './commands/help.ts';
import { addCompletion } from './commands/completion/completion.ts';
import { addPlans } from './commands/plans/plan-commands.ts';
import { addRuns } from './commands/runs/run-commands.ts';
import { addServers } from './commands/servers/server-commands.ts';
import { addSources } from './commands/servers/source-sync.ts';
import { addLogin } from './commands/session/login.ts';
import { addLogout } from './commands/session/logout.ts';
import { addWhoami } from './commands/session/whoami.ts';
import { addAudit } from './commands/records/audit.ts';
import { addEnvironments } from './commands/records/environments.ts';
import { addKeys } from './commands/records/keys.ts';
import { addSchedules } from './commands/records/schedules.ts';
import { addTokens } from './commands/records/tokens.ts';
import { EXIT_HELP } from './terminal/exit-codes.ts';
import { VERSION } from './commands/version.ts';

const SETTINGS_HELP = `
Environment:
  RUNWARD_URL            address of the service, such as https://runward.example.org
  RUNWARD_TOKEN          API token; default: the token stored by \`runward login\`
  RUNWARD_OIDC_TOKEN     identity token of the CI system (GitLab id_tokens), exchanged for a short-lived token
  RUNWARD_OIDC_AUDIENCE  audience of the identity token to request from GitHub Actions
  RUNWARD_TENANT         tenant to sign in to with an identity token, where several trust it
  NO_COLOR               no colours`;

/** Returns the program with all commands. Help and errors are written with `write`. */
export function createProgram(
  context: Context,
  write: { out: (text: string) => void; err: (text: string) => void },
): Command {
  const program = new Command('runward')
    .description('Start and follow Runward runs from a terminal or a CI job.')
    .version(VERSION, '-V, --version', 'print the version')
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride()
    .helpCommand(false)
    .configureOutput({ writeOut: write.out, writeErr: write.err, outputError: write.err })
    .addHelpText('after', `${SETTINGS_HELP}\n${EXIT_HELP}`);
  const adders = [
    ...[addLogin, addLogout, addWhoami, addPlans, addRuns, addServers, addSources],
    ...[addEnvironments, addKeys, addSchedules, addTokens, addAudit, addApi, addCompletion, addHelp],
  ];
  for (const add of adders) add(program, context);
  return program;
}
