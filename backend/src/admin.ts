import { ADMIN_COMMAND } from './common/admin-command.js';
import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Command } from 'commander';
import { AuditLogsReader } from './audit/audit-logs.reader.js';
import { AuditModule } from './audit/audit.module.js';
import { CommonModule } from './common/common.module.js';
import { ENTITIES } from './entities.js';
import { StartError } from './common/database/start-error.js';
import { Problem } from './common/errors/problem.js';
import type { Runtime } from './common/settings/runtime.js';
import { readSettings, SettingsError } from './common/settings/settings.js';
import { type PreparedRuntime, prepareRuntime } from './boot/prepare-runtime.js';
import { addBackupCommands } from './cli/backup-commands.js';
import { InstallationAdminModule } from './cli/installation-admin.module.js';
import { addDoctorCommands } from './cli/doctor/doctor-commands.js';
import { addInstallationCommands } from './cli/installation-commands.js';
import { addPasswordOption, readPassword } from './cli/password-option.js';
import { rotateKeys } from './cli/rotate-keys-command.js';
import { PortsModule } from './ports.module.js';
import { TenantCreation } from './tenancy/create-tenant.js';
import { PasswordReset } from './tenancy/passwords/password-reset.js';
import { TenancyModule } from './tenancy/tenancy.module.js';
import { migrateInstallation } from './cli/migrate-command.js';
import { verifyAuditTrails } from './cli/verify-audit-trails.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function administer(
  work: (context: INestApplicationContext, binding: PreparedRuntime['binding']) => Promise<void>,
  more: readonly (new () => object)[] = [],
): Promise<void> {
  const prepared = await prepareRuntime(readSettings(process.env), { log: say, share: true });
  try {
    await withContext(prepared.runtime, (context) => work(context, () => prepared.binding()), more);
  } finally {
    await prepared.releaseRuntime();
  }
}

async function withContext<T>(
  runtime: Runtime,
  work: (context: INestApplicationContext) => Promise<T>,
  more: readonly (new () => object)[] = [],
): Promise<T> {
  const module = {
    module: class Administration {},
    imports: [
      CommonModule.for(runtime, { works: false, poolSize: 2, entities: ENTITIES }),
      PortsModule,
      AuditModule,
      TenancyModule,
      ...more,
    ],
  };
  const context = await NestFactory.createApplicationContext(module, {
    logger: ['error', 'fatal'],
    abortOnError: false,
  });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

const verifyAllAuditTrails = (context: INestApplicationContext, name?: string): Promise<boolean> =>
  verifyAuditTrails(context.get(TenantCreation), context.get(AuditLogsReader, { strict: false }), say, name);

interface TenantOptions {
  name: string;
  adminEmail: string;
  adminPasswordFile?: string;
}

interface ResetOptions {
  tenant: string;
  email: string;
  passwordFile?: string;
}

const program = new Command(ADMIN_COMMAND).description('Administration of this installation.').showHelpAfterError();
const tenant = program.command('tenant').description('Tenants of this installation.');
addPasswordOption(
  tenant
    .command('create')
    .description('Create a tenant with its first admin.')
    .requiredOption('--name <name>', 'name of the tenant')
    .requiredOption('--admin-email <email>', 'e-mail address of its first admin'),
  'admin-password',
).action((options: TenantOptions) =>
  administer(async (context) => {
    const { password, generated } = await readPassword(options.adminPasswordFile);
    const id = await context.get(TenantCreation).create({
      name: options.name,
      adminEmail: options.adminEmail,
      adminName: 'Admin',
      adminPassword: password,
    });
    say(`Tenant "${options.name}" was created (${id}). Its admin is ${options.adminEmail}.`);
    if (generated) say(`Password, shown this once: ${password}`);
  }),
);
tenant
  .command('list')
  .description('List the tenants.')
  .action(() =>
    administer(async (context) => {
      for (const each of await context.get(TenantCreation).list())
        say(`${each.id}  ${each.createdAt.toISOString()}  ${each.name}`);
    }),
  );
addPasswordOption(
  program
    .command('member')
    .description('Members of a tenant.')
    .command('reset-password')
    .description('Reset the password of a member. Ends their sessions; role and API tokens do not change.')
    .requiredOption('--tenant <name>', 'name of the tenant')
    .requiredOption('--email <email>', 'e-mail address of the member'),
  'password',
).action((options: ResetOptions) =>
  administer(async (context) => {
    const { password, generated } = await readPassword(options.passwordFile);
    const { disabled } = await context
      .get(PasswordReset)
      .reset({ tenant: options.tenant, email: options.email, password });
    say(`${options.email} of tenant "${options.tenant}" has a new password and is signed out everywhere.`);
    if (disabled) say('The member is disabled. An admin must enable them before they can sign in.');
    if (generated) say(`Password, shown this once: ${password}`);
  }),
);
program
  .command('key')
  .description('The master key, which encrypts all stored secrets.')
  .command('rotate')
  .description(
    'Change to a new master key. All Runward processes must be stopped. Run it again to finish an interrupted change.',
  )
  .action(() => rotateKeys(readSettings(process.env), say));
program
  .command('migrate')
  .description('Migrate the database to the schema of this version, as a start does.')
  .option('--plan', 'only print the pending migrations')
  .action((options: { plan?: true }) => migrateInstallation(readSettings(process.env), options.plan === true, say));
program
  .command('audit')
  .description('Audit trails of the tenants.')
  .command('verify')
  .description('Verify every entry of the chains. Exits with code 1 if a chain is not intact.')
  .option('--tenant <name>', 'only the tenant of this name')
  .action((options: { tenant?: string }) =>
    administer(async (context) => {
      if (!(await verifyAllAuditTrails(context, options.tenant))) process.exitCode = 1;
    }),
  );
program
  .command('config')
  .description('Settings of this installation.')
  .command('check')
  .description('Check the settings without starting anything.')
  .action(() => {
    const settings = readSettings(process.env);
    say(`The settings are valid: ${settings.role} at ${settings.publicUrl}, data in ${settings.dataDir}.`);
  });
addBackupCommands(program, (runtime) => withContext(runtime, (context) => verifyAllAuditTrails(context)), say);
addInstallationCommands(program, (work) => administer(work, [InstallationAdminModule]), say);
addDoctorCommands(program, say);

try {
  await program.parseAsync();
} catch (error) {
  const known = error instanceof StartError || error instanceof SettingsError || error instanceof Problem;
  process.stderr.write(
    `${known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}
