import { ConsoleLogger, type LogLevel as NestLevel } from '@nestjs/common';
import type { LogLevel } from './common/settings/settings.js';

/** What the framework says at each start and nobody needs. */
const CHATTER = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);
const LEVELS: readonly NestLevel[] = ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'];
const UP_TO: Record<LogLevel, NestLevel> = { error: 'error', warn: 'warn', info: 'log', debug: 'debug' };

/** The service's log: one JSON object a line unless a person watches; without the framework's chatter below debug. */
export class QuietLogger extends ConsoleLogger {
  private readonly quiet: boolean;

  constructor(level: LogLevel) {
    super({ json: !process.stdout.isTTY, logLevels: LEVELS.slice(0, LEVELS.indexOf(UP_TO[level]) + 1) });
    this.quiet = level !== 'debug';
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (this.quiet && CHATTER.has(String(rest.at(-1)))) return;
    super.log(message, ...(rest as string[]));
  }
}
