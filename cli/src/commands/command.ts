import { type Command, Option } from 'commander';
import { createApi } from '../client/api.ts';
import { Connection, type ConnectionOptions } from '../client/connection.ts';
import type { Session } from '../client/session.ts';
import { findAccess } from '../config/access.ts';
import { parseDuration } from '../terminal/durations.ts';
import { chooseFormat, type FormatOptions, OUTPUT_FORMATS, storeAsFormat } from '../terminal/format.ts';
import { JqFilter } from '../terminal/jq.ts';
import { Output } from '../terminal/output.ts';
import type { Surroundings } from '../terminal/surroundings.ts';
import { createVersionWarning, VERSION } from './version.ts';

export interface Context {
  surroundings: Surroundings;
  exit: (code: number) => void;
  /** Receives the output of the running command, through which later errors are reported. */
  output: (output: Output) => void;
}

export interface CommonOptions extends FormatOptions {
  retryFor?: number;
}

/** Default of --retry in ms, unless a command sets another one. A person waits for a shorter time than a job. */
export const DEFAULT_RETRY_FOR_MS = 10_000;
export const RUN_RETRY_FOR_MS = 300_000;

export const addSubcommand = (parent: Command, nameAndArguments: string, description: string): Command =>
  parent
    .command(nameAndArguments)
    .description(description)
    .option('--json', 'print the JSON of the API; errors as RFC 9457 on standard error')
    .option('--jq <expression>', 'print the results of a jq expression on the JSON')
    .addOption(
      new Option('--retry-for <duration>', 'how long to repeat requests while the service is unavailable').argParser(
        parseDuration,
      ),
    );

/** Adds `-o, --output` to a command that shows a list or a record. */
export const addFormatOption = (command: Command): Command =>
  command.addOption(
    storeAsFormat(createChoiceOption('-o, --output <format>', 'format of the result (default: table)', OUTPUT_FORMATS)),
  );

/** @throws Failure for formats that contradict each other, or an invalid jq expression */
export async function createOutput(context: Context, options: CommonOptions): Promise<Output> {
  const output = new Output(context.surroundings, chooseFormat(options));
  context.output(output);
  if (options.jq !== undefined) output.filter = await JqFilter.compile(options.jq);
  return output;
}

export function createConnectionOptions(
  output: Output,
  options: CommonOptions,
  retryForMs: number,
): Omit<ConnectionOptions, 'base' | 'credential'> {
  const warn = createVersionWarning((text) => output.note(text));
  return {
    retryForMs: options.retryFor ?? retryForMs,
    onConnectionTrouble: (reason) => output.note(`The service can't be reached (${reason}). Trying again.`),
    onServiceVersion: (version, base) => {
      output.service = { version, base };
      warn(version, base);
    },
    agent: `runward-cli/${VERSION}`,
  };
}

export function createSession(context: Context, out: Output, options: ConnectionOptions): Session {
  const connection = new Connection(options);
  return { api: createApi(connection), connection, out, surroundings: context.surroundings };
}

type Handler<Options> = (session: Session, options: Options, ...args: string[]) => Promise<number | void>;

/** Runs a command as the signed-in user. The handler returns the exit code; undefined = 0. */
export function addSignedInAction<Options extends CommonOptions>(
  context: Context,
  command: Command,
  handler: Handler<Options>,
  retryForMs: number = DEFAULT_RETRY_FOR_MS,
): void {
  command.action(async () => {
    const options = command.opts<Options>();
    const out = await createOutput(context, options);
    const access = await findAccess(
      context.surroundings,
      out.secrets,
      createConnectionOptions(out, options, retryForMs),
    );
    const args = command.processedArgs as string[];
    context.exit((await handler(createSession(context, out, access), options, ...args)) ?? 0);
  });
}

export const createChoiceOption = (
  flags: string,
  description: string,
  words: readonly string[],
  usual?: string,
): Option => {
  const option = new Option(flags, description).choices(words);
  return usual === undefined ? option : option.default(usual);
};

export const createDurationOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(parseDuration);
