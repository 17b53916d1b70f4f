import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { PRODUCT_VERSION } from '../common/product-version.js';
import { ProblemView } from '../common/http/problem.view.js';
import { STREAM_EVENTS } from '../executions/stream/stream-events.view.js';
import { addBounds } from './openapi-bounds.js';
import { describeDeprecations } from './openapi-deprecation.js';
import { describeFields } from './openapi-descriptions.js';
import { describeEvents, EVENT_MODELS } from './openapi-events.js';
import { addExamples } from './openapi-examples.js';
import { describeHeaders } from './openapi-headers.js';
import { operationsOf, refineSchemas } from './openapi-schemas.js';
import { nameListOptions, shareEnums, shareRepetitions, shareVariableValues } from './openapi-shared.js';
import { TAGS } from './openapi-tags.js';

export function describeApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Runward')
    .setDescription(
      'Runs plans over SSH on registered hosts, safely, for several tenants. Every error is `application/problem+json` (RFC 9457) with a stable `code`, explained under `type`. A path answers 405 with `Allow` for methods that it does not support, and 204 for OPTIONS.',
    )
    .setVersion(PRODUCT_VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'runward_…', description: 'An API token: `runward_…`.' },
      'token',
    )
    .addCookieAuth('runward_session', { type: 'apiKey', in: 'cookie', name: 'runward_session' }, 'session')
    .addSecurityRequirements('token')
    .addSecurityRequirements('session')
    .build();
  const document: OpenAPIObject = SwaggerModule.createDocument(app, config, {
    extraModels: [ProblemView, ...STREAM_EVENTS, ...EVENT_MODELS],
  });
  document.tags = Object.entries(TAGS).map(([name, description]) => ({ name, description }));
  for (const { responses } of operationsOf(document)) {
    // Beside the declared success response, the compiler plugin adds one without a description.
    for (const [status, response] of Object.entries(responses))
      if (status.startsWith('2') && response.description === '') delete responses[status];
  }
  addBounds(document, app);
  refineSchemas(document);
  describeFields(document);
  describeDeprecations(document, app);
  describeHeaders(document);
  addExamples(document);
  describeEvents(document);
  shareVariableValues(document);
  nameListOptions(document);
  shareEnums(document);
  shareRepetitions(document);
  return document;
}
