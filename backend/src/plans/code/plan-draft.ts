import type { ProblemItem } from '../../common/errors/problem-item.js';
import { pointerPart } from '../../common/errors/shown.js';
import { type Fields, isFields } from './plan-form.js';
import type { Tree } from './plan-text.js';
import { PLAN_REFERENCES, type ReferenceField, type ReferenceKind, STEP_REFERENCES } from './references.js';

/** A record that a text names. */
export interface NamedReference {
  readonly kind: ReferenceKind;
  readonly name: string;
  /** JSON pointer of the name in the text. */
  readonly path: string;
  /** Puts the id in once it is known. */
  readonly put: (id: string) => void;
}

/** What a text says, on its way to a request of the API. */
export interface PlanDraft {
  /** With ids in place of names, once these are put in. */
  readonly request: Fields;
  readonly references: readonly NamedReference[];
  /** Faults of names and ids beside one another; their pointers are those of the text. */
  readonly faults: readonly ProblemItem[];
  /** Pointer into the text of what stands elsewhere in the request. */
  readonly textPath: (path: string) => string;
}

/** A list, or nothing where a map belongs, is a fault of the whole text. */
export function planDraft(value: Tree): PlanDraft {
  const references: NamedReference[] = [];
  const faults: ProblemItem[] = [];
  const renamed = new Map<string, string>();
  const request = replaced(value, PLAN_REFERENCES, '');
  // What is left empty is not said.
  for (const [name, field] of Object.entries(request)) if (field === null) delete request[name];
  if (Array.isArray(request.steps)) {
    request.steps = request.steps.map((step, index) =>
      isFields(step) ? replaced(step, STEP_REFERENCES, `/steps/${index}`) : step,
    );
  }
  return { request, references, faults, textPath: (path) => longestRenamed(renamed, path) };

  function replaced(said: Tree, fields: readonly ReferenceField[], at: string): Fields {
    if (!isFields(said)) {
      const message = 'Write the fields of one plan, such as "name: Restart web", and its "steps:".';
      faults.push({ path: at, code: 'wrong_type', message });
      return {};
    }
    const copy = { ...said };
    for (const { id, name, kind } of fields) {
      // A step's `environment` is another thing: only what is a reference there is looked at.
      const given = copy[name];
      if (given === undefined) continue;
      delete copy[name];
      if (given === null) continue;
      const path = `${at}/${name}`;
      if (copy[id] !== undefined && copy[id] !== null)
        faults.push({ path, code: 'conflicting_fields', message: `Give "${name}" or "${id}", not both.` });
      else if (typeof given !== 'string' || given.trim() === '')
        faults.push({ path, code: 'wrong_type', message: `${name} must be the name of a record, as a text.` });
      else references.push({ kind, name: given, path, put: (found) => void (copy[id] = found) });
      copy[id] ??= 'unknown';
      renamed.set(`${at}/${pointerPart(id)}`, path);
    }
    return copy;
  }
}

function longestRenamed(renamed: ReadonlyMap<string, string>, path: string): string {
  const parts = path.split('/');
  for (let length = parts.length; length > 0; length -= 1) {
    const known = renamed.get(parts.slice(0, length).join('/'));
    if (known !== undefined) return [known, ...parts.slice(length)].join('/');
  }
  return path;
}
