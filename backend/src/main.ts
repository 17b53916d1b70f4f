import 'reflect-metadata';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { Logger, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { writeBackupInProcess } from './backup/backup-process.js';
import { ScheduledBackups } from './backup/scheduled-backups.js';
import { findDatabaseErrorCause, toOneLineMessage } from './common/database/database-cause.js';
import { describeSystemError, StartError } from './common/database/start-error.js';
import { databaseFaults } from './common/database/database-faults.js';
import { InstallationHealth } from './common/health/installation-health.js';
import { InstallationMetrics } from './common/health/installation-metrics.js';
import { type HealthAnswers, serveHealth } from './common/health/health-server.js';
import { collectProcessMetrics, renderMetrics, startProcessMetrics } from './common/metrics/metrics.js';
import type { Runtime } from './common/settings/runtime.js';
import { readSettings, type Settings, SettingsError } from './common/settings/settings.js';
import { Worker } from './common/queue/worker.js';
import { AddressReport } from './inventory/machines/address-report.js';
import { ensureFirstAdmin } from './boot/first-admin.js';
import { type PreparedRuntime, prepareRuntime } from './boot/prepare-runtime.js';
import { QuietLogger, toJsonLine } from './boot/quiet-logger.js';
import { TenantCreation } from './tenancy/create-tenant.js';
import { requireKnownSsh2 } from './transport/ssh2/installed-library.js';
import { InstallationWatch } from './common/installation/installation-state.js';
import { type RunningWork, WorkerShift } from './boot/worker-shift.js';
import { WorkerModule } from './worker.module.js';
import {
  answerMetricsRequests,
  CHILD_WORKER_FLAG,
  DATABASE_FOLDER_FLAG,
  WorkerProcesses,
} from './boot/worker-processes.js';

const MIN_NODE_VERSION = 24;
const STOP_MS = 20_000;

const isChild = process.argv.includes(CHILD_WORKER_FLAG);
const databaseFolder = process.argv
  .find((each) => each.startsWith(DATABASE_FOLDER_FLAG))
  ?.slice(DATABASE_FOLDER_FLAG.length);
/** Whether messages of the process itself are JSON too. Otherwise they are text, also beside a JSON log. */
let saysJson = false;
const toMessageLine = (level: 'log' | 'fatal', message: string): string =>
  saysJson ? toJsonLine({ level, context: 'Process', message }) : message;
const say = (message: string): void => void process.stdout.write(`${toMessageLine('log', message)}\n`);

/** Shutdown functions in start order; they are called in reverse order. */
const running: (() => Promise<unknown>)[] = [];
let stopping = false;
let childWorkers: WorkerProcesses | null = null;

async function main(): Promise<void> {
  const [major] = process.versions.node.split('.');
  if (Number(major) < MIN_NODE_VERSION) {
    throw new StartError(
      `Node.js ${process.versions.node} is too old. Start Runward with npm start, which includes its own.`,
    );
  }
  requireKnownSsh2();
  const settings = readSettings(process.env);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));
  // Without its parent, a worker would run unsupervised.
  if (isChild) process.on('disconnect', () => void stop(1));
  saysJson = settings.logFormat === 'json';
  const logger = new QuietLogger(settings.logLevel, settings.logFormat);
  // Also for lines before and without an application, such as those of a worker in a held installation.
  Logger.overrideLogger(logger);
  const prepared = await prepareRuntime(settings, { log: say, migrated: isChild, databaseFolder });
  running.push(() => prepared.releaseRuntime());
  // Keeps the database running even during shutdown: workers need it to hand over their runs.
  prepared.keepDatabaseRunning({ log: say, giveUp: (error) => (stopping ? say(error.message) : fail(error)) });
  if (settings.healthPort !== undefined) startProcessMetrics(settings.role === 'worker' ? 'worker' : 'api');
  if (isChild) answerMetricsRequests();
  if (settings.role !== 'worker') await startApi(settings, prepared, logger);
  if (settings.role === 'all') startWorkers(prepared.runtime);
  if (settings.role === 'worker') await startWorker(settings, prepared.runtime, logger);
}

async function startApi(
  settings: Settings,
  { runtime, ownerUrl }: PreparedRuntime,
  logger: LoggerService,
): Promise<void> {
  // Loaded only here: it is the largest part of the code, and workers do not need it.
  const { createApiApp } = await import('./api-app.js');
  const app = await createApiApp(runtime, logger);
  running.push(() => app.close());
  await app.init();
  const lines = await ensureFirstAdmin(app.get(TenantCreation), settings);
  await listen(app, settings);
  const [health, metrics] = [app.get(InstallationHealth), app.get(InstallationMetrics)];
  await startHealth(settings, {
    isReady: () =>
      health.getHealthState().then(
        () => databaseFaults.writeCause === null,
        () => false,
      ),
    renderMetrics: async () => {
      const [workers] = await Promise.all([childWorkers?.collectMetrics() ?? [], metrics.refreshMetrics()]);
      return renderMetrics([await collectProcessMetrics(), ...workers]);
    },
  });
  for (const line of [...lines, ...(await app.get(AddressReport).listReportLines())]) say(line);
  if (settings.backup) {
    const write = writeBackupInProcess(join(import.meta.dirname, 'admin.js'));
    const backups = new ScheduledBackups(ownerUrl, settings.backup, write, say);
    running.push(() => backups.stop());
    backups.start();
  }
  say(`Runward is ready at ${settings.publicUrl}`);
}

async function listen(app: NestExpressApplication, { host, port }: Settings): Promise<void> {
  await app.listen(port, host).catch((error: unknown) => {
    throw cannotListen(error, host, port, 'RUNWARD_PORT');
  });
}

/** @param setting variable that sets the port */
function cannotListen(error: unknown, host: string, port: number, setting: string): StartError {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE')
    return new StartError(
      `Port ${port} of ${host} is in use. Stop the process that uses it, or set another port with ${setting}.`,
    );
  if (code === 'EACCES')
    return new StartError(`Port ${port} needs more rights than this user has. Set a port above 1023 with ${setting}.`);
  return new StartError(
    `Cannot listen on ${host} port ${port} (${describeSystemError(error)}). Correct RUNWARD_HOST or ${setting}.`,
  );
}

async function startHealth({ host, healthPort: port, metricsToken }: Settings, answers: HealthAnswers): Promise<void> {
  if (port === undefined) return;
  const server = await serveHealth({ host, port, metricsToken }, answers).catch((error: unknown) => {
    throw cannotListen(error, host, port, 'RUNWARD_HEALTH_PORT');
  });
  running.push(() => closeServer(server));
}

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

function startWorkers(runtime: Runtime): void {
  const workers = new WorkerProcesses(join(import.meta.dirname, 'main.js'), runtime, say);
  childWorkers = workers;
  running.push(() => workers.stopWorkers());
  workers.start();
}

async function startWorker(settings: Settings, runtime: Runtime, logger: LoggerService): Promise<void> {
  const watch = new InstallationWatch(runtime.databaseUrl);
  await watch.start();
  running.push(() => watch.stop());
  let worker: Worker | null = null;
  const begin = async (): Promise<RunningWork> => {
    const app = await NestFactory.createApplicationContext(WorkerModule.for(runtime, watch), {
      logger,
      abortOnError: false,
    });
    const started = app.get(Worker);
    await started.start();
    worker = started;
    return {
      end: async () => {
        worker = null;
        await started.drain();
        await app.close();
      },
    };
  };
  const workerShift = new WorkerShift(watch, begin, fail);
  running.push(() => workerShift.stop());
  await workerShift.start();
  if (isChild) return;
  await startHealth(settings, {
    // In a held installation, a worker process without work is healthy.
    isReady: () => (watch.current.state === 'held' ? worker === null : (worker?.isReady ?? false)),
    renderMetrics: async () => renderMetrics([await collectProcessMetrics()]),
  });
  say('A Runward worker is ready.');
}

async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(code || 1), STOP_MS).unref();
  for (const end of running.reverse())
    await end().catch((error: unknown) => say(`Stopping: ${describeSystemError(error)}`));
  process.exit(code);
}

function fail(error: unknown): void {
  const known = error instanceof StartError || error instanceof SettingsError;
  const cause = findDatabaseErrorCause(error);
  // Not for `database_unavailable`: file and socket errors have the same codes.
  const named = cause !== null && cause !== 'database_unavailable' ? toOneLineMessage(cause, error) : null;
  const knownCause = known
    ? (error as Error).message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`${toMessageLine('fatal', named ?? knownCause)}\n`);
  void stop(1);
}

main().catch(fail);
