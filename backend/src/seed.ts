import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Command } from 'commander';
import { CommonModule } from './common/common.module.js';
import { ENTITIES } from './entities.js';
import { StartError } from './common/database/start-error.js';
import { readSettings, SettingsError } from './common/settings/settings.js';
import { ensureFirstAdmin } from './boot/first-admin.js';
import { prepareRuntime } from './boot/prepare-runtime.js';
import { PortsModule } from './ports.module.js';
import { SeedProgress } from './seed-progress.js';
import { readSeedRequest, SEED_BOUNDS, type SeedNumber } from './seeding/seed-request.js';
import { SeedTenant } from './seeding/seed-tenant.js';
import { SeedingModule } from './seeding/seeding.module.js';
import { TenantCreation } from './tenancy/create-tenant.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function seed(seedOptions: Parameters<typeof readSeedRequest>[0]): Promise<void> {
  const request = readSeedRequest(seedOptions);
  const settings = readSettings(process.env);
  const progress = new SeedProgress(request.runs, process.stdout);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => progress.stop());
  const prepared = await prepareRuntime(settings, { log: say, share: true });
  try {
    const module = {
      module: class Seed {},
      imports: [
        CommonModule.for(prepared.runtime, { works: false, poolSize: 2, entities: ENTITIES }),
        PortsModule,
        SeedingModule,
      ],
    };
    const context = await NestFactory.createApplicationContext(module, {
      logger: ['error', 'fatal'],
      abortOnError: false,
    });
    try {
      // Like the first start of Runward, which creates no admin when a tenant exists.
      for (const line of await ensureFirstAdmin(context.get(TenantCreation, { strict: false }), settings)) say(line);
      const done = await context.get(SeedTenant).seed(request, request.until ?? new Date(), progress);
      progress.finish(done);
    } finally {
      await context.close();
    }
  } finally {
    await prepared.releaseRuntime();
  }
}

const range = (name: SeedNumber): string => {
  const { min, max, usual } = SEED_BOUNDS[name];
  return `${min} to ${max.toLocaleString('en')}, ${usual.toLocaleString('en')} unless given`;
};

const program = new Command('npm run seed --')
  .description('Fill a tenant with years of invented runs, to see how much of everything looks and how fast it is.')
  .option('--runs <number>', `how many runs: ${range('runs')}`)
  .option('--tenant <name>', 'a tenant that is there, or the name of a new one; a new one named "seeded" unless given')
  .option('--environments <number>', `how many environments: ${range('environments')}`)
  .option('--servers <number>', `servers, over all environments: ${range('servers')}`)
  .option('--years <number>', `how far back the runs go: ${range('years')}`)
  .option(
    '--seed <number>',
    'invents the same course of runs for the same number and the same --until; another one each time unless given',
  )
  .option('--until <time>', 'when the last run lies, such as 2026-01-01T00:00:00Z; now unless given')
  .showHelpAfterError()
  .allowExcessArguments(false)
  .action(seed);

try {
  await program.parseAsync();
} catch (error) {
  const known = error instanceof StartError || error instanceof SettingsError;
  process.stderr.write(
    `${known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}
