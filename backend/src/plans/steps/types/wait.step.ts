import { ApiProperty } from '@nestjs/swagger';
import { IsInt } from 'class-validator';
import type { ProblemItem } from '../../../common/errors/problem-item.js';
import { IsNullableField, OptionalTextLine } from '../../../common/http/fields.js';
import { wholeNumberMessage } from '../fields/field-decorators.js';
import { LOOP, LOOP_DEFAULTS } from '../fields/loop.fields.js';
import { findRangeProblems, PORT_LIMITS } from '../fields/numbers.js';
import { BASE_DEFAULTS, type StepBase } from '../fields/step-base.js';
import type { StepTypeDefinition } from './step-type.js';

/** Waits until a TCP port or a URL responds to the host. Either port or URL is set. */
export interface WaitStep extends StepBase {
  type: 'wait';
  port: number | null;
  url: string | null;
}

class WaitFieldsRequest {
  /** For type `wait`: TCP port on the host. */
  @ApiProperty({ ...PORT_LIMITS, type: Number, nullable: true, required: false })
  @IsNullableField()
  @IsInt(wholeNumberMessage('port'))
  port?: number | null;

  /** For type `wait`: URL, requested from the host. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(2000)
  url?: string | null;
}

class WaitFieldsView {
  /** Type wait, like `url`; one of them is null. */
  @ApiProperty({ type: Number, nullable: true, required: false })
  port?: number | null;
  @ApiProperty({ type: String, nullable: true, required: false })
  url?: string | null;
}

export const WAIT = {
  fields: [{ request: WaitFieldsRequest, view: WaitFieldsView }, LOOP],
  defaults: { ...BASE_DEFAULTS, ...LOOP_DEFAULTS, type: 'wait', timeoutSeconds: 600, port: null, url: null },
  check: ({ port, url }, { path }) => findTargetProblems({ port, url }, path),
  listTexts: () => [],
  listOutputs: () => [],
  mayChangeHosts: () => false,
  getContent: () => null,
} as const satisfies StepTypeDefinition<WaitStep>;

function findTargetProblems({ port, url }: Pick<WaitStep, 'port' | 'url'>, path: string): ProblemItem[] {
  if (port === null && url === null) {
    const message = 'Set what the step waits for: a port of the host such as 443, or a url.';
    return [{ path: `${path}/port`, code: 'required', message }];
  }
  if (port !== null && url !== null) {
    const message = 'A step waits for a port or a url, not both. Leave one out, or make two steps.';
    return [{ path: `${path}/url`, code: 'conflicting_fields', message }];
  }
  if (port !== null) return findRangeProblems(port, PORT_LIMITS, 'a port', `${path}/port`);
  const fault = findUrlFault(url ?? '');
  return fault === null ? [] : [{ path: `${path}/url`, code: 'invalid_url', message: fault }];
}

function findUrlFault(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || /[\s\p{Cc}]/u.test(text))
    return 'Send a complete address that begins with http:// or https://, such as https://localhost/health.';
  if (url.username !== '' || url.password !== '')
    return 'Remove the user and password from the address: every member who can see the plan would see them.';
  return null;
}
