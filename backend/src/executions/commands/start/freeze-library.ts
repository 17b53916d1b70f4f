import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { conflict } from '../../../common/errors/problem.js';
import type { PlanContent } from '../../../plans/steps/plan-content.js';
import { scriptIds, templateIds } from '../../../plans/plan-library.js';
import { ScriptReader } from '../../../scripts/script.reader.js';
import { TemplateReader } from '../../../templates/template.reader.js';
import type { FrozenLibrary } from '../../record/library.js';

/** A run's snapshot stands in one row, which each worker and each look at the run reads. */
const MOST_BYTES = 2_097_152;

/** Reads what a run freezes of the library: the latest revisions at its start, and never others. */
@Injectable()
export class FreezeLibrary {
  constructor(
    private readonly scripts: ScriptReader,
    private readonly templates: TemplateReader,
  ) {}

  /** Undefined when no step uses any. @throws Problem 409 `library_too_large`, `library_missing` */
  async freeze(tx: EntityManager, tenantId: string, { steps }: PlanContent): Promise<FrozenLibrary | undefined> {
    const wanted = { scripts: scriptIds(steps), templates: templateIds(steps) };
    if (wanted.scripts.length + wanted.templates.length === 0) return undefined;
    const scripts = await this.scripts.latest(tx, tenantId, wanted.scripts);
    const templates = await this.templates.latest(tx, tenantId, wanted.templates);
    if (wanted.scripts.some((id) => !scripts.has(id)) || wanted.templates.some((id) => !templates.has(id)))
      throw conflict(
        'library_missing',
        'A script or template of the plan does not exist any more. Choose another one.',
      );
    const bytes = [...scripts.values(), ...templates.values()].reduce(
      (sum, { content }) => sum + Buffer.byteLength(content),
      0,
    );
    if (bytes > MOST_BYTES) {
      throw conflict(
        'library_too_large',
        `The scripts and templates of one run have at most ${MOST_BYTES / 1_048_576} MiB together. Split the plan.`,
      );
    }
    return { scripts: Object.fromEntries(scripts), templates: Object.fromEntries(templates) };
  }
}
