import type { ProblemItem } from '../../common/errors/problem-item.js';
import { toPointerPart } from '../../common/text/shorten.js';
import { type Fields, isFields } from './plan-text.js';
import type { YamlTree } from './plan-text.js';
import { PLAN_REFERENCES } from './references.js';
import type { ReferenceField, ReferenceKind } from '../steps/types/step-type.js';
import { STEP_REFERENCES } from '../steps/types/step-types.js';

export interface NamedReference {
  readonly kind: ReferenceKind;
  readonly name: string;
  /** JSON pointer of the name in the text. */
  readonly path: string;
  /** Inserts the ID after it was looked up. */
  readonly put: (id: string) => void;
}

/** Parsed text that is being converted to an API request. */
export interface PlanDraft {
  /** Contains IDs instead of names after all `put` calls. */
  readonly request: Fields;
  readonly references: readonly NamedReference[];
  /** Conflicts between names and IDs. Their pointers refer to the text. */
  readonly faults: readonly ProblemItem[];
  /** Maps a pointer into the request to a pointer into the text. */
  readonly textPath: (path: string) => string;
}

/** A value that is not a map is a fault of the whole text. */
export function createPlanDraft(value: YamlTree): PlanDraft {
  const references: NamedReference[] = [];
  const faults: ProblemItem[] = [];
  const renamed = new Map<string, string>();
  const request = replaceNames(value, PLAN_REFERENCES, '');
  // An empty field means: not set.
  for (const [name, field] of Object.entries(request)) if (field === null) delete request[name];
  if (Array.isArray(request.steps)) {
    request.steps = request.steps.map((step, index) =>
      isFields(step) ? replaceNames(step, STEP_REFERENCES, `/steps/${index}`) : step,
    );
  }
  return { request, references, faults, textPath: (path) => replaceLongestRenamedPath(renamed, path) };

  function replaceNames(said: YamlTree, fields: readonly ReferenceField[], at: string): Fields {
    if (!isFields(said)) {
      const message = 'Write the fields of one plan, such as "name: Restart web", and its "steps:".';
      faults.push({ path: at, code: 'wrong_type', message });
      return {};
    }
    const copy = { ...said };
    for (const { id, name, kind } of fields) {
      // In a step, `environment` is a map of variables instead of a reference.
      const idOrName = copy[name];
      if (idOrName === undefined) continue;
      delete copy[name];
      if (idOrName === null) continue;
      const path = `${at}/${name}`;
      if (copy[id] !== undefined && copy[id] !== null)
        faults.push({ path, code: 'conflicting_fields', message: `Send "${name}" or "${id}", not both.` });
      else if (typeof idOrName !== 'string' || idOrName.trim() === '')
        faults.push({ path, code: 'wrong_type', message: `${name} must be the name of a record, as a text.` });
      else references.push({ kind, name: idOrName, path, put: (found) => void (copy[id] = found) });
      copy[id] ??= 'unknown';
      renamed.set(`${at}/${toPointerPart(id)}`, path);
    }
    return copy;
  }
}

function replaceLongestRenamedPath(renamed: ReadonlyMap<string, string>, path: string): string {
  const parts = path.split('/');
  for (let length = parts.length; length > 0; length -= 1) {
    const known = renamed.get(parts.slice(0, length).join('/'));
    if (known !== undefined) return [known, ...parts.slice(length)].join('/');
  }
  return path;
}
