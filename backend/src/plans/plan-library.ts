import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { conflict, notFound } from '../common/errors/problem.js';
import type { ContentSource } from '../library/library-kind.js';
import { GitSourceReader } from '../git-sources/git-source.reader.js';
import { ScriptReader } from '../scripts/script.reader.js';
import { TemplateReader } from '../templates/template.reader.js';
import type { Plan } from './records/plan.entity.js';
import { getDefinition, type WrittenStep } from './steps/types/step-types.js';

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
  async requireKnownContents(tx: EntityManager, caller: Principal, steps: readonly WrittenStep[]): Promise<void> {
    const { scripts, templates } = listContents(steps);
    const known = {
      script: await this.scripts.latest(tx, caller.tenantId, scripts),
      template: await this.templates.latest(tx, caller.tenantId, templates),
    };
    const contents = steps.map((step) => getDefinition(step).getContent(step));
    const files = contents.flatMap((content, index) => {
      if (content?.kind !== 'file') return [];
      const { gitSourceId, path: file } = content.source;
      const at = { gitSourceId: `/steps/${index}/gitSourceId`, file: `/steps/${index}/sourcePath` };
      return [{ gitSourceId, file, at }];
    });
    await this.git.requireKnownFiles(tx, caller, files);
    contents.forEach((content, index) => {
      if (content && content.kind !== 'file' && !known[content.kind].has(content.id))
        throw notFound(`/steps/${index}/${content.kind}Id`);
    });
  }
}

/** Content outside the plan that the steps use, each once per step. */
export interface UsedContents {
  scripts: string[];
  templates: string[];
  /** Each file once. */
  files: ContentSource[];
}

export function listContents(steps: readonly WrittenStep[]): UsedContents {
  const contents = steps.flatMap((step) => getDefinition(step).getContent(step) ?? []);
  const listIds = (kind: 'script' | 'template') =>
    contents.flatMap((content) => (content.kind === kind ? [content.id] : []));
  const sources = contents.flatMap((content) => (content.kind === 'file' ? [content.source] : []));
  return {
    scripts: listIds('script'),
    templates: listIds('template'),
    files: [...new Map(sources.map((source) => [JSON.stringify(source), source])).values()],
  };
}
