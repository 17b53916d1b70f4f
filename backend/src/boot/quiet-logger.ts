import { ConsoleLogger, type LogLevel as NestLevel } from '@nestjs/common';
import { type WithheldLine, RepeatedLines } from './repeated-lines.js';
import { getLogFields } from '../common/logging/log-fields.js';
import type { LogFormat, LogLevel } from '../common/settings/settings.js';

/** Contexts of framework messages that every start repeats and that help no reader. */
const SUPPRESSED_LOG_CONTEXTS = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);
const NEST_LOG_LEVELS: readonly NestLevel[] = ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'];
const NEST_LEVEL_BY_LOG_LEVEL: Record<LogLevel, NestLevel> = {
  error: 'error',
  warn: 'warn',
  info: 'log',
  debug: 'debug',
};
/** Interval of reports about repetitions that have ended, in ms. */
const REPORT_INTERVAL_MS = 5_000;
const MAX_QUOTE_LENGTH = 200;

/**
 * The service's log: plain text on a terminal, otherwise one JSON object per line, with the `LogFields`. Omits start messages of the
 * framework unless the level is debug. Limits repeated warnings and errors, see `RepeatedLines`.
 */
export class QuietLogger extends ConsoleLogger {
  private readonly suppressesStartup: boolean;
  private readonly repeatedLines = new RepeatedLines((report) => this.printReport(report));

  constructor(level: LogLevel, format: LogFormat = 'auto') {
    super({
      json: format === 'auto' ? !process.stdout.isTTY : format === 'json',
      colors: format !== 'json' && process.stdout.isTTY,
      logLevels: NEST_LOG_LEVELS.slice(0, NEST_LOG_LEVELS.indexOf(NEST_LEVEL_BY_LOG_LEVEL[level]) + 1),
    });
    this.suppressesStartup = level !== 'debug';
    setInterval(() => this.repeatedLines.reportEnded(performance.now()), REPORT_INTERVAL_MS).unref();
    process.once('exit', () => this.repeatedLines.reportAll(performance.now()));
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (this.suppressesStartup && SUPPRESSED_LOG_CONTEXTS.has(String(rest.at(-1)))) return;
    super.log(message, ...(rest as string[]));
  }

  override warn(message: unknown, ...rest: unknown[]): void {
    if (this.allowsLine('warn', message, rest)) super.warn(message, ...(rest as string[]));
  }

  override error(message: unknown, ...rest: unknown[]): void {
    if (this.allowsLine('error', message, rest)) super.error(message, ...(rest as string[]));
  }

  protected override printAsJson(
    message: unknown,
    { context, logLevel, errorStack, writeStreamType }: Parameters<ConsoleLogger['printAsJson']>[1],
  ): void {
    process[writeStreamType ?? 'stdout'].write(
      `${toJsonLine({ level: logLevel, context, message, stack: errorStack })}\n`,
    );
  }

  private allowsLine(level: NestLevel, message: unknown, rest: unknown[]): boolean {
    if (!this.isLevelEnabled(level)) return false;
    const context = rest.at(-1);
    const text = message instanceof Error ? (message.stack ?? message.message) : String(message);
    return this.repeatedLines.admitsLine(
      { level, context: typeof context === 'string' ? context : '', text },
      performance.now(),
    );
  }

  private printReport({ level, context, text, times, seconds }: WithheldLine): void {
    const [first = ''] = text.split('\n');
    const line = `(repeated ${times} times in ${seconds} s) ${first.slice(0, MAX_QUOTE_LENGTH)}`;
    if (level === 'error') super.error(line, undefined, context);
    else super.warn(line, context);
  }
}

const LEVEL_NAMES: Partial<Record<NestLevel, string>> = { log: 'info', verbose: 'debug' };

/** Renders a line of the log as JSON, without its line end. Fields without a value are omitted. */
export function toJsonLine({
  level,
  context,
  message,
  stack,
}: {
  level: NestLevel;
  context?: string;
  message: unknown;
  stack?: unknown;
}): string {
  const text = message instanceof Error ? (message.stack ?? message.message) : message;
  const line = {
    time: new Date().toISOString(),
    level: LEVEL_NAMES[level] ?? level,
    context: context === '' ? undefined : context,
    message: text,
    stack: stack ?? undefined,
    pid: process.pid,
  };
  return JSON.stringify({ ...line, ...getLogFields(), ...line });
}
