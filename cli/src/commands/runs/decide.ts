import { type Command, Argument } from 'commander';
import { answerOf, once } from '../../client/api.ts';
import { EXIT } from '../../exit-codes.ts';
import { failure } from '../../failure.ts';
import { collect } from '../../names/pairs.ts';
import { runId } from '../../names/run-id.ts';
import { findServer } from '../../names/records.ts';
import { pauseLines } from '../../runs/pauses.ts';
import { statusWords } from '../../runs/run.ts';
import { readRun } from '../../runs/wait.ts';
import { type CommonOptions, type Context, leaf, signedIn } from '../command.ts';
import { tellRun } from './tell-run.ts';

const ACTIONS = ['proceed', 'retry', 'retry_failed', 'skip', 'exclude_hosts', 'abort'] as const;

interface Options extends CommonOptions {
  step?: string;
  host?: string[];
  comment?: string;
}

export function addRunDecide(parent: Command, context: Context): void {
  const command = leaf(parent, 'decide', 'Answer a run that waits for a decision')
    .argument('<run>', 'id, or address of its page')
    .addArgument(new Argument('<action>', 'what is to be done').choices(ACTIONS))
    .option('--step <key>', 'refused unless it waits at this step')
    .option('--host <host>', 'only for this host, by name or id; may be given several times', collect)
    .option('--comment <text>', 'for the trail');
  signedIn<Options>(context, command, async (session, options, argument, action) => {
    const { api } = session;
    const run = await readRun(session, runId(argument));
    const { pause } = run;
    if (pause === null || pause.stepKey === null || pause.reason === 'APPROVAL')
      throw failure(
        'not_waiting',
        'Not waiting',
        pause === null
          ? `The run ${statusWords(run.status)}: no decision is asked.`
          : 'The run waits for approval: `run approve` or `run reject` answers that.',
        EXIT.refused,
        pause === null ? [] : pauseLines(run),
      );
    const hosts = await Promise.all((options.host ?? []).map((host) => findServer(api, host)));
    const body = {
      stepKey: options.step ?? pause.stepKey,
      action: action as (typeof ACTIONS)[number],
      // Not for another pause, also where one at the same step has come meanwhile.
      pauseSince: pause.since,
      ...(hosts.length > 0 ? { serverIds: hosts.map(({ id }) => id) } : {}),
      ...(options.comment ? { comment: options.comment } : {}),
    };
    const params = { path: { id: run.id } };
    tellRun(session, await answerOf(api.POST('/api/executions/{id}/decisions', { params, body, ...once() })));
  });
}
