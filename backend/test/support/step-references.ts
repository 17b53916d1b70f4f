/** A minimal step for each field that refers to a record. */
export const REFERRING_STEPS: Readonly<Record<string, (id: string) => object>> = {
  planId: (planId) => ({ key: 'one', type: 'plan', planId }),
  scriptId: (scriptId) => ({ key: 'one', type: 'script', scriptId }),
  templateId: (templateId) => ({ key: 'one', type: 'template', templateId, path: '/tmp/file' }),
  gitSourceId: (gitSourceId) => ({ key: 'one', type: 'file', gitSourceId, sourcePath: 'file', path: '/tmp/file' }),
};

/** Returns the body with a step that refers to a record, if the position is in a step; otherwise undefined. */
export function withReferringStep(body: unknown, place: readonly (string | number)[], id: string): unknown {
  const [list, index, field] = place;
  const step = REFERRING_STEPS[String(field)];
  if (list !== 'steps' || index !== 0 || place.length !== 3 || !step) return undefined;
  return { ...(body as object), steps: [step(id)] };
}
