import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  crowdedBodies,
  HOSTILE_TEXTS,
  numberBodies,
  shapelessBodies,
  withText,
} from './support/hostile/hostile-bodies.js';
import { type MeasuredApi, startMeasuredApi, delayReport } from './support/hostile/measured-api.js';
import { validBodies } from './support/hostile/valid-bodies.js';
import { bodyLimitOf, type Operation, operations, type Schema } from './support/openapi.js';
import { CaseSample } from './support/sampler.js';
import { connectRaw, rawHead } from './support/raw-request.js';
import { type Place, placesIn } from './support/sample-body.js';

/** Codes of refusals that end the validation of a body. */
const SHAPE = [
  'unknown_field',
  'wrong_type',
  'required',
  'too_long',
  'too_many',
  'invalid_format',
  'field_of_other_type',
];
const MINUTE_MS = 60_000;

let api: MeasuredApi;

beforeAll(async () => {
  api = await startMeasuredApi();
}, MINUTE_MS);
afterAll(() => api?.close());

const withBody = operations.filter((operation) => operation.body);

/** Returns the maximum length of a text at this place. It is in the refusal of a text that is too long. */
async function maxTextLength(operation: Operation, body: object, { steps, pointer }: Place): Promise<number> {
  const tooLongText = 'a'.repeat(Math.min(300_000, bodyLimitOf(operation) / 2));
  const answer = await api.expectNoDelay(operation, `a long text in ${pointer}`, withText(body, steps, tooLongText, 0));
  const message = answer.body.errors?.find((item) => item.path === pointer)?.message;
  const [, most, unit] = / at most (\d+) (characters|KiB)/.exec(message ?? '') ?? [];
  if (most === undefined) return tooLongText.length;
  return unit === 'KiB' ? Number(most) * 1024 : Number(most);
}

/**
 * Returns places whose schema is not yet in `met`. Routes share types such as a plan step, and each type is tested
 * once.
 */
function unvisitedPlaces(met: Set<Schema>, places: readonly Place[]): Place[] {
  return places.filter(({ schema }) => !met.has(schema) && met.add(schema));
}
const sample = new CaseSample();
const crowded = new Set<Schema>();
const filled = new Set<Schema>();

describe.each(withBody.map((operation): [string, Operation] => [operation.operationId, operation]))(
  'a body of allowed size sent to %s',
  (_, operation) => {
    const limit = bodyLimitOf(operation);

    it('is not refused for its shape before it is made hostile', async () => {
      for (const body of validBodies(operation, api.records)) {
        const { errors = [] } =
          (await api.expectNoDelay(operation, 'a body that fits', JSON.stringify(body))).body ?? {};
        expect(errors.filter(({ code }) => SHAPE.includes(code))).toEqual([]);
      }
    });

    it(
      'does not delay other requests with any content and size',
      async () => {
        for (const { title, text } of sample.of(`shapeless ${limit}`, shapelessBodies(limit))) {
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit + 8);
          await api.expectNoDelay(operation, title, text);
        }
        for (const body of validBodies(operation, api.records)) {
          const places = unvisitedPlaces(crowded, placesIn(operation.body ?? {}, body));
          for (const { title, text } of [...crowdedBodies(places, body, limit), ...numberBodies(places, body)])
            await api.expectNoDelay(operation, title, text);
        }
      },
      5 * MINUTE_MS,
    );

    it(
      'does not delay other requests with any text',
      async () => {
        for (const body of validBodies(operation, api.records)) {
          const texts = placesIn(operation.body ?? {}, body).filter(({ value }) => typeof value === 'string');
          for (const place of unvisitedPlaces(filled, texts)) {
            const maxLength = await maxTextLength(operation, body, place);
            for (const { title, of } of sample.of(`text of ${maxLength}`, HOSTILE_TEXTS)) {
              const text = withText(body, place.steps, of(maxLength), limit);
              await api.expectNoDelay(operation, `many ${title} in ${place.pointer}`, text);
            }
          }
        }
      },
      5 * MINUTE_MS,
    );

    it('does not delay other requests without credentials', async () => {
      const [body = {}] = validBodies(operation, api.records);
      const [whole] = placesIn(operation.body ?? {}, body);
      for (const { title, text } of crowdedBodies(whole ? [whole] : [], body, 1024 * 1024).slice(0, 2)) {
        const answer = await api.expectNoDelay(operation, `${title}, without credentials`, text, {
          client: api.anonymous,
        });
        const open = text.length > limit ? 413 : 400;
        expect(answer.status).toBe(operation.security?.length === 0 ? open : 401);
      }
    });
  },
);

describe('bodies without credentials', () => {
  it('use no memory, however many are sent at once', async () => {
    const { runward } = api;
    const readPeakMemory = async () =>
      Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${runward.pid}/status`, 'utf8'))?.[1]);
    const before = await readPeakMemory();
    const part = Buffer.alloc(1024 * 1024 - 1, 32);
    const connections = await Promise.all(Array.from({ length: 200 }, () => connectRaw(runward.url)));
    for (const connection of connections) {
      connection.write(rawHead('POST', '/api/plans', { 'Content-Length': part.length + 1 }));
      connection.write(part);
    }
    for (const connection of connections) expect(await connection.statuses(1)).toEqual([401]);
    for (const connection of connections) connection.close();
    // Storing these bodies would take 200 MiB.
    expect((await readPeakMemory()) - before).toBeLessThan(80 * 1024);
  });
});

describe('these bodies', () => {
  it('were sent to every route with a body, in large numbers', () => {
    expect([...api.visited].sort()).toEqual(withBody.map(({ operationId }) => operationId).sort());
    expect(withBody.length).toBeGreaterThanOrEqual(31);
    expect(api.sent).toBeGreaterThan(1000);
    expect(api.longest[0]?.ms).toBeGreaterThan(0);
    process.stdout.write(delayReport(api));
  });
});
