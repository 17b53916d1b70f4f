import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { Command } from 'commander';
import { CommonModule } from './common/common.module.js';
import { StartError } from './common/database/start-error.js';
import { Problem } from './common/errors/problem.js';
import { readSettings, SettingsError } from './common/settings/settings.js';
import { prepareRuntime } from './prepare-runtime.js';
import { TenantCreation } from './tenancy/create-tenant.js';
import { TenancyModule } from './tenancy/tenancy.module.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs one piece of administration against the installation's settings, also while Runward runs. */
async function administer(work: (tenants: TenantCreation) => Promise<void>): Promise<void> {
  const prepared = await prepareRuntime(readSettings(process.env), { log: say, share: true });
  try {
    const module = {
      module: class Administration {},
      imports: [CommonModule.for(prepared.runtime, { works: false, poolSize: 2 }), TenancyModule],
    };
    const context = await NestFactory.createApplicationContext(module, {
      logger: ['error', 'fatal'],
      abortOnError: false,
    });
    try {
      await work(context.get(TenantCreation));
    } finally {
      await context.close();
    }
  } finally {
    await prepared.release();
  }
}

interface TenantOptions {
  name: string;
  adminEmail: string;
  adminPassword?: string;
}

const program = new Command('npm run admin --')
  .description('Administration of this installation.')
  .showHelpAfterError();
const tenant = program.command('tenant').description('Tenants of this installation.');
tenant
  .command('create')
  .description('Make a tenant with its first admin.')
  .requiredOption('--name <name>', 'name of the tenant')
  .requiredOption('--admin-email <email>', 'e-mail address of its first admin')
  .option('--admin-password <password>', 'generated and printed once unless given')
  .action((options: TenantOptions) =>
    administer(async (tenants) => {
      const password = options.adminPassword ?? randomBytes(15).toString('base64url');
      const id = await tenants.create({
        name: options.name,
        adminEmail: options.adminEmail,
        adminName: 'Admin',
        adminPassword: password,
      });
      say(`Tenant "${options.name}" was created (${id}). Its admin is ${options.adminEmail}.`);
      if (options.adminPassword === undefined) say(`Password, shown this once: ${password}`);
    }),
  );
tenant
  .command('list')
  .description('List the tenants.')
  .action(() =>
    administer(async (tenants) => {
      for (const each of await tenants.list()) say(`${each.id}  ${each.createdAt.toISOString()}  ${each.name}`);
    }),
  );
program
  .command('config')
  .description('Settings of this installation.')
  .command('check')
  .description('Check the settings without starting anything.')
  .action(() => {
    const settings = readSettings(process.env);
    say(`The settings are in order: ${settings.role} at ${settings.publicUrl}, data in ${settings.dataDir}.`);
  });

try {
  await program.parseAsync();
} catch (error) {
  const known = error instanceof StartError || error instanceof SettingsError || error instanceof Problem;
  process.stderr.write(
    `${known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}
