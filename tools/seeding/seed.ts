import 'reflect-metadata';
import { Command } from 'commander';
import { ensureFirstAdmin } from '../../backend/src/boot/first-admin.js';
import { StartError } from '../../backend/src/common/database/start-error.js';
import { readSettings, SettingsError } from '../../backend/src/common/settings/settings.js';
import { TenantCreation } from '../../backend/src/tenancy/create-tenant.js';
import { SeedProgress } from './seed-progress.js';
import { readSeedRequest, SEED_BOUNDS, type SeedNumber } from './seed-request.js';
import { SeedTenant } from './seed-tenant.js';
import { withServices } from './with-services.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function seed(seedOptions: Parameters<typeof readSeedRequest>[0]): Promise<void> {
  const request = readSeedRequest(seedOptions);
  const settings = readSettings(process.env);
  const progress = new SeedProgress(request.runs, process.stdout);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => progress.stop());
  await withServices(settings, say, async (context) => {
    // Like the first start of Runward, which creates no admin when a tenant exists.
    for (const line of await ensureFirstAdmin(context.get(TenantCreation, { strict: false }), settings)) say(line);
    const done = await new SeedTenant(context).seed(request, request.until ?? new Date(), progress);
    progress.finish(done);
  });
}

const range = (name: SeedNumber): string => {
  const { min, max, usual } = SEED_BOUNDS[name];
  return `${min} to ${max.toLocaleString('en')}, default ${usual.toLocaleString('en')}`;
};

const program = new Command('npm run seed --')
  .description('Fill a tenant with years of invented runs, to try Runward with much data.')
  .option('--runs <number>', `number of runs: ${range('runs')}`)
  .option('--tenant <name>', 'an existing tenant, or the name of a new one (default: a new tenant "seeded")')
  .option('--environments <number>', `number of environments: ${range('environments')}`)
  .option('--servers <number>', `number of servers in all environments: ${range('servers')}`)
  .option('--years <number>', `age of the oldest run in years: ${range('years')}`)
  .option('--seed <number>', 'number that repeats the same runs, together with --until (default: random)')
  .option('--until <time>', 'time of the last run, such as 2026-01-01T00:00:00Z (default: now)')
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
