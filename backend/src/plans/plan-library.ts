import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { conflict, notFound } from '../common/errors/problem.js';
import type { ContentSource } from '../library/library-kind.js';
import { GitSourceReader } from '../git-sources/git-source.reader.js';
import { ScriptReader } from '../scripts/script.reader.js';
import { TemplateReader } from '../templates/template.reader.js';
import type { Plan } from './plan.entity.js';
import type { CallStep, FileStep, PlanStep } from './steps/plan-content.js';

@Injectable()
export class PlanLibrary {
  constructor(
    private readonly scripts: ScriptReader,
    private readonly templates: TemplateReader,
    private readonly git: GitSourceReader,
  ) {}

  /** @throws Problem 409 `managed_by_git` if the plan can only be changed in a git source */
  async requireNotFromGit(tx: EntityManager, { tenantId, name, gitSourceId, gitPath }: Plan): Promise<void> {
    if (gitSourceId === null) return;
    const [source] = await this.git.findByNameOrId(tx, tenantId, [gitSourceId]);
    throw conflict(
      'managed_by_git',
      `"${name}" comes from ${gitPath} of the git source "${source?.name ?? gitSourceId}". Change or delete that file and sync the source, or remove the folder in the settings of the source. Its plans can then be edited in Runward.`,
    );
  }

  /**
   * Locks all referenced records against deletion until the transaction ends. Afterwards the saved plan prevents their
   * deletion.
   * @throws Problem 404 with the path of the first ID that the caller cannot see
   */
  async requireKnownContents(
    tx: EntityManager,
    caller: Principal,
    steps: readonly (PlanStep | CallStep)[],
  ): Promise<void> {
    const scripts = await this.scripts.latest(tx, caller.tenantId, listScriptIds(steps));
    const templates = await this.templates.latest(tx, caller.tenantId, listTemplateIds(steps));
    const files = steps.flatMap((step, index) => {
      if (step.type !== 'file') return [];
      const at = { gitSourceId: `/steps/${index}/gitSourceId`, file: `/steps/${index}/sourcePath` };
      return [{ gitSourceId: step.gitSourceId, file: step.sourcePath, at }];
    });
    await this.git.requireKnownFiles(tx, caller, files);
    steps.forEach((step, index) => {
      if (step.type === 'script' && !scripts.has(step.scriptId)) throw notFound(`/steps/${index}/scriptId`);
      if (step.type === 'template' && !templates.has(step.templateId)) throw notFound(`/steps/${index}/templateId`);
    });
  }
}

export const listScriptIds = (steps: readonly (PlanStep | CallStep)[]): string[] =>
  steps.flatMap((step) => (step.type === 'script' ? [step.scriptId] : []));

export const listFileSources = (steps: readonly (PlanStep | CallStep)[]): ContentSource[] => {
  const named = steps.flatMap((step) => (step.type === 'file' ? [toContentSource(step)] : []));
  return [...new Map(named.map((source) => [JSON.stringify(source), source])).values()];
};

export const toContentSource = ({ gitSourceId, sourcePath, ref }: FileStep): ContentSource => ({
  gitSourceId,
  path: sourcePath,
  ref,
});

export const listTemplateIds = (steps: readonly (PlanStep | CallStep)[]): string[] =>
  steps.flatMap((step) => (step.type === 'template' ? [step.templateId] : []));
