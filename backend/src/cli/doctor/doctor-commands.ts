import type { Command } from 'commander';
import { readSettings } from '../../common/settings/settings.js';
import { withCheckContext } from './open-database.js';
import { type InstallationStatus, readInstallationStatus } from './read-status.js';
import { type CheckReport, runChecks } from './run-checks.js';

const MIB = 1024 * 1024;

interface OutputOptions {
  json?: boolean;
}

export function addDoctorCommands(program: Command, say: (line: string) => void): void {
  program
    .command('status')
    .description('Show version, state, workers, waiting runs and latest backup. Exits with code 1 if no run can start.')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: OutputOptions) => {
      const status = await withCheckContext(readSettings(process.env), readInstallationStatus);
      if (json) say(JSON.stringify(status, null, 2));
      else for (const line of describeStatus(status)) say(line);
      if (status.database?.installation?.state !== 'active' || status.database.workers.length === 0)
        process.exitCode = 1;
    });
  program
    .command('doctor')
    .description('Check database, clock, disk, port, DNS, mail and processes. Exits with code 1 if a check failed.')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: OutputOptions) => {
      const checks = await withCheckContext(readSettings(process.env), runChecks);
      if (json) say(JSON.stringify({ checks }, null, 2));
      else for (const line of checks.flatMap(describeCheck)) say(line);
      if (checks.some(({ status }) => status === 'failed')) process.exitCode = 1;
    });
}

const describeCheck = ({ status, title, text, advice }: CheckReport): string[] => [
  `${status.padEnd(7)}  ${title}: ${text}`,
  ...(advice === null ? [] : [`         → ${advice}`]),
];

function describeStatus({ version, schema, database, fault }: InstallationStatus): string[] {
  const lines = [`Runward ${version}, schema ${schema}.`];
  if (!database) return [...lines, `Database: ${fault ?? 'unavailable'}`];
  const { installation, workers, waitingRuns, oldestWaitingSeconds, latestBackup } = database;
  return [
    ...lines,
    `Database: PostgreSQL ${database.version}, ${Math.ceil(database.bytes / MIB)} MiB.`,
    installation
      ? `Installation ${installation.identity}, incarnation ${installation.incarnation}: ${installation.state} since ${installation.since.toISOString()}.`
      : 'Installation: never started.',
    ...(installation?.reason ? [`Reason: ${installation.reason}`] : []),
    `Waiting for a worker: ${waitingRuns} runs${oldestWaitingSeconds === null ? '' : `, the oldest for ${oldestWaitingSeconds} s`}.`,
    `Latest backup: ${latestBackup?.toISOString() ?? 'no backup recorded'}.`,
    `Workers: ${workers.length}.`,
    ...workers.map(
      (each) =>
        `  ${each.name}  version ${each.version ?? 'unknown'}  ${each.runSlots ?? '?'} run slots  ${each.hostSlots ?? '?'} host slots  up ${each.uptimeSeconds} s  seen ${each.seenSecondsAgo} s ago`,
    ),
  ];
}
