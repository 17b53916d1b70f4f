import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CollectionReader } from '../../collections/collection-reader.js';
import type { Principal } from '../../common/access/principal.js';
import { isId } from '../../common/ids.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { GitSourceReader } from '../../git-sources/git-source.reader.js';
import { ScriptReader } from '../../scripts/script.reader.js';
import { TemplateReader } from '../../templates/template.reader.js';
import { RunPlanReader } from '../records/run-plan.reader.js';
import type { Fields } from '../code/plan-text.js';
import { PATH_SEPARATOR, PLAN_REFERENCES } from '../code/references.js';
import type { ReferenceField, ReferenceKind } from '../steps/types/step-type.js';
import { STEP_REFERENCES } from '../steps/types/step-types.js';

/** Maps IDs to names and names to IDs, for referenced records that the caller can see. */
@Injectable()
export class PlanNames {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly collections: CollectionReader,
    private readonly scripts: ScriptReader,
    private readonly templates: TemplateReader,
    private readonly gitSources: GitSourceReader,
    private readonly plans: RunPlanReader,
  ) {}

  /** Returns the names of the records that a plan references, by ID. Omits names that do not identify their record. */
  async readReferenceNames(tx: EntityManager, caller: Principal, plan: Fields): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const [kind, ids] of collectReferences(plan)) {
      for (const id of ids) if (kind === 'collection') await this.nameCollection(tx, caller, id, found);
      if (kind === 'collection') continue;
      const records = await this.findRecordsByName(tx, caller, kind, ids);
      // A name that looks like an ID would be read as an ID.
      for (const { id, name } of records) if (!isId(name) && ids.includes(id)) found.set(id, name);
    }
    return found;
  }

  /** Returns IDs by name. Omits unknown names. */
  async findIdsByName(
    tx: EntityManager,
    caller: Principal,
    kind: ReferenceKind,
    names: readonly string[],
  ): Promise<Map<string, string>> {
    const requestedNames = [...new Set(names)];
    if (requestedNames.length === 0) return new Map();
    if (kind === 'collection') {
      const ids = await Promise.all(
        requestedNames.map(async (path): Promise<[string, string][]> => {
          const id = await this.collections.getIdByPath(tx, caller.tenantId, path.split(PATH_SEPARATOR).map(trimName));
          return id === null ? [] : [[path, id]];
        }),
      );
      return new Map(ids.flat());
    }
    const records = await this.findRecordsByName(tx, caller, kind, requestedNames);
    const byName = new Map(records.map(({ id, name }) => [name.toLowerCase(), id]));
    return new Map(
      requestedNames.flatMap((name): [string, string][] => {
        const id = byName.get(name.toLowerCase());
        return id === undefined ? [] : [[name, id]];
      }),
    );
  }

  /** @throws Problem 404 with the path of an environment or collection that the caller cannot see */
  async requireVisible(
    tx: EntityManager,
    caller: Principal,
    { environmentId, collectionId }: { environmentId?: string; collectionId?: string },
  ): Promise<void> {
    if (environmentId !== undefined)
      await this.environments.findVisibleEnvironment(tx, caller, environmentId, '/environmentId');
    if (collectionId !== undefined)
      await this.collections.findCollection(tx, caller.tenantId, collectionId, '/collectionId');
  }

  private findRecordsByName(
    tx: EntityManager,
    caller: Principal,
    kind: Exclude<ReferenceKind, 'collection'>,
    namesOrIds: readonly string[],
  ): Promise<{ id: string; name: string }[]> {
    switch (kind) {
      case 'environment':
        return this.environments.findVisibleByName(tx, caller, namesOrIds);
      case 'script':
        return this.scripts.named(tx, caller.tenantId, namesOrIds);
      case 'template':
        return this.templates.named(tx, caller.tenantId, namesOrIds);
      case 'git source':
        return this.gitSources.findByNameOrId(tx, caller.tenantId, namesOrIds);
      case 'plan':
        return this.plans.named(tx, caller, namesOrIds);
    }
  }

  private async nameCollection(tx: EntityManager, { tenantId }: Principal, id: string, found: Map<string, string>) {
    if (!isId(id)) return;
    const names = await this.collections.readCollectionPath(tx, tenantId, id);
    const path = names.join(PATH_SEPARATOR);
    const formsCycle =
      (await this.collections.getIdByPath(tx, tenantId, path.split(PATH_SEPARATOR).map(trimName))) === id;
    if (names.length > 0 && formsCycle) found.set(id, path);
  }
}

const trimName = (name: string) => name.trim();

function collectReferences(plan: Fields): Map<ReferenceKind, string[]> {
  const found = new Map<ReferenceKind, string[]>();
  const look = (fields: unknown, references: readonly ReferenceField[]) => {
    for (const { id, kind } of references) {
      const value = (fields as Fields | null)?.[id];
      if (typeof value === 'string') found.set(kind, [...(found.get(kind) ?? []), value]);
    }
  };
  look(plan, PLAN_REFERENCES);
  if (Array.isArray(plan.steps)) for (const step of plan.steps) look(step, STEP_REFERENCES);
  return found;
}
