import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { NestFactory } from '@nestjs/core';
import { ApiModule } from './api.module.js';
import { generateMasterKey } from './common/crypto/master-key.js';
import { readSettings } from './common/settings/settings.js';
import { frontEndLists } from './openapi/front-end-lists.js';
import { describeApi } from './openapi/openapi-document.js';
import { planSchema } from './openapi/plan-schema.js';

/**
 * Writes the OpenAPI document to the first file, lists for the front end to the second, and the JSON schema of plans to
 * all further files. Needs no database, because no provider is instantiated.
 */
const [target, lists, ...schemas] = process.argv.slice(2);
if (!target || !lists) throw new Error('Name the files to write: openapi.js FILE FRONT_END_LISTS [PLAN_SCHEMA…]');
const runtime = {
  settings: readSettings({}),
  databaseUrl: 'postgresql://nowhere',
  databaseLogin: 'own' as const,
  masterKey: generateMasterKey().masterKey,
  processName: 'openapi',
};
const app = await NestFactory.create(ApiModule.for(runtime), { preview: true, logger: ['error'], abortOnError: false });
const written = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
const document = describeApi(app);
await writeFile(target, written(document));
await writeFile(lists, frontEndLists());
for (const file of schemas) await writeFile(file, written(planSchema(document)));
