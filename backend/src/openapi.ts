import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { NestFactory } from '@nestjs/core';
import { ApiModule } from './api.module.js';
import { generateMasterKey } from './common/crypto/master-key.js';
import { readSettings } from './common/settings/settings.js';
import { describeApi } from './openapi/openapi-document.js';

/** Writes the OpenAPI document to the file that is named; needs no database, as nothing is instantiated. */
const [target] = process.argv.slice(2);
if (!target) throw new Error('Name the file to write: openapi.js FILE');
const runtime = {
  settings: readSettings({}),
  databaseUrl: 'postgresql://nowhere',
  databaseLogin: 'own' as const,
  masterKey: generateMasterKey().masterKey,
  processName: 'openapi',
};
const app = await NestFactory.create(ApiModule.for(runtime), { preview: true, logger: ['error'], abortOnError: false });
await writeFile(target, `${JSON.stringify(describeApi(app), null, 2)}\n`);
