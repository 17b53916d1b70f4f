import type { Command } from 'commander';
import { unreachableFailure, toNetworkFailure } from '../../client/network.ts';
import { toFailure } from '../../client/problems.ts';
import type { Session } from '../../client/session.ts';
import { Failure, usage } from '../../terminal/failure.ts';
import { isId } from '../../names/find.ts';
import { findNearestNames } from '../../names/nearest.ts';
import { findRunId } from '../../names/run-id.ts';
import { HostNames } from '../../runs/host-names.ts';
import { RUN_ARGUMENT, type Run } from '../../runs/run.ts';
import { readRun } from '../../runs/wait.ts';
import { writeFileAtomically } from '../../terminal/files.ts';
import { createChoiceOption, type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { readOutputPages, type OutputFilters } from '../../runs/stream/output-pages.ts';
import { formatOutputLine, type OutputLine, OutputLineAssembler } from '../../runs/stream/lines.ts';
import { padToWidth } from '../../terminal/table.ts';

interface Options extends CommonOptions {
  host?: string;
  step?: string;
  stream?: 'stdout' | 'stderr';
  search?: string;
  output?: string;
  raw?: boolean;
}

export function addRunOutput(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'output', 'Print the output of a run')
    .argument('<run>', RUN_ARGUMENT)
    .option('--host <host>', 'only output of this host, by name or id')
    .option('--step <key>', 'only output of this step')
    .addOption(createChoiceOption('--stream <stream>', 'only this stream', ['stdout', 'stderr']))
    .option('--search <text>', 'only lines that contain this text')
    .option('--raw', 'unmodified output; not to a terminal')
    .option('-o, --output <file>', 'write the unmodified output to a file');
  addSignedInAction<Options>(context, command, async (session, options, argument) => {
    const { out, connection, surroundings } = session;
    const id = await findRunId(session, argument);
    if (options.raw && surroundings.stdout.isTTY)
      throw usage('--raw would let the hosts control this terminal: send it to a file or a pipe.');
    const serverId = options.host === undefined ? undefined : findHostId(await readRun(session, id), options.host);
    const filters = {
      ...(serverId ? { serverId } : {}),
      ...(options.step ? { stepKey: options.step } : {}),
      ...(options.stream ? { stream: options.stream } : {}),
      ...(options.search ? { q: options.search } : {}),
    };
    if (out.isStructured) {
      for await (const lines of readOutputPages(session, id, filters)) {
        out.items(lines);
        await out.flush();
      }
      return;
    }
    if (!options.raw && options.output === undefined) return printLines(session, id, filters);
    const query = new URLSearchParams(filters).toString();
    const address = `${connection.options.base}/api/executions/${id}/output${query ? `?${query}` : ''}`;
    const response = await connection.send(new Request(address, { headers: { Accept: 'text/plain' } }), {
      streamed: true,
    });
    if (!response.ok || response.body === null) throw toFailure(response, await response.text());
    const { body } = response;
    await whole(connection.options.base, async () => {
      if (options.output !== undefined)
        return writeFileAtomically(options.output, surroundings, body as AsyncIterable<Uint8Array>);
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        out.raw(text);
        await out.flush();
      }
    });
  });
}

/** Prints lines as `--follow` does. */
async function printLines(session: Session, id: string, filters: OutputFilters): Promise<void> {
  const { out } = session;
  const names = new HostNames(session, await readRun(session, id));
  const parts = new OutputLineAssembler();
  let step: string | null = null;
  const print = async (lines: readonly OutputLine[]) => {
    for (const line of lines) {
      if (line.stepKey !== step) out.line(out.paint('bold', `== ${out.safe(line.stepKey)}`));
      step = line.stepKey;
      const name = padToWidth(out.safe(await names.findName(line.serverId)), names.width);
      out.line(formatOutputLine(out, out.paint('cyan', name), line));
    }
  };
  for await (const page of readOutputPages(session, id, filters)) {
    for (const line of page) await print(parts.add(line));
    await out.flush();
  }
  await print(parts.end());
}

/** Reports output as incomplete if reading it ended too early. */
async function whole(base: string, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreachableFailure(base, `${toNetworkFailure(error).reason} before the output was complete`);
  }
}

function findHostId({ hosts, hostsNextCursor }: Run, argument: string): string {
  const host = hosts.find(({ serverId, name }) => serverId === argument || name === argument);
  if (host) return host.serverId;
  if (isId(argument) && hostsNextCursor !== null) return argument;
  const near = findNearestNames(
    argument,
    hosts.map(({ name }) => name),
  );
  throw usage(`The run has no host "${argument}".`, near.length > 0 ? [`Did you mean ${near.join(' or ')}?`] : []);
}
