import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ProblemView } from './common/http/problem.view.js';

/** Describes the running application as OpenAPI 3.1 (design: api.md). */
export function describeApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Runward')
    .setDescription(
      'Runs plans over SSH on registered hosts, safely, for several tenants. Every error is `application/problem+json` (RFC 9457) with a stable `code`.',
    )
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API token: `runward_…`.' }, 'token')
    .addCookieAuth('runward_session', { type: 'apiKey', in: 'cookie', name: 'runward_session' }, 'session')
    .addSecurityRequirements('token')
    .addSecurityRequirements('session')
    .build();
  const document = SwaggerModule.createDocument(app, config, { extraModels: [ProblemView] });
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    // Bodies are strict (spec, rule 3); the document says so too.
    if (name.endsWith('Request') && 'type' in schema && schema.type === 'object') schema.additionalProperties = false;
  }
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(
      path as Record<string, { responses?: Record<string, { description?: string }> }>,
    )) {
      // The compiler plugin adds a success of its own beside the one that the route names; only the latter has a description.
      for (const [status, response] of Object.entries(operation.responses ?? {})) {
        if (status.startsWith('2') && response.description === '') delete operation.responses?.[status];
      }
    }
  }
  return document;
}
