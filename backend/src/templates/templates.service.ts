import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import type { ProblemItem } from '../common/errors/problem-item.js';
import { ThreadPool } from '../common/threads/thread-pool.js';
import { GitSourceReader } from '../git-sources/git-source.reader.js';
import { LIBRARY_USE, type FindLibraryUsers } from '../library/library-use.js';
import { LibraryService, type LibraryUpdate } from '../library/library.service.js';
import { jinjaProblems, templateFault, templateProblem } from './rendering/template-fault.js';
import { TemplateRenderer } from './rendering/template-renderer.js';
import { TEMPLATES } from './template-kind.js';
import {
  TEMPLATE_VIEWS,
  type TemplateRevisionSummaryView,
  type TemplateSummaryView,
  type TemplateView,
} from './templates.view.js';

@Injectable()
export class TemplatesService extends LibraryService<TemplateSummaryView, TemplateView, TemplateRevisionSummaryView> {
  constructor(
    units: UnitOfWork,
    audit: AuditTrail,
    git: GitSourceReader,
    threads: ThreadPool,
    private readonly renderer: TemplateRenderer,
    @Inject(LIBRARY_USE) use: FindLibraryUsers,
  ) {
    super(TEMPLATES, TEMPLATE_VIEWS, { units, audit, git, threads, use });
  }

  protected override async findFaults({ tenantId }: Principal, { content }: LibraryUpdate): Promise<ProblemItem[]> {
    if (content === undefined) return [];
    const faults = jinjaProblems('/content', content);
    if (faults.length > 0) return faults;
    const renderer = this.renderer.of({ tenantId, asks: 'request' });
    const fault = await renderer.check(content).then(() => null, templateFault);
    return fault ? [templateProblem('/content', fault)] : [];
  }
}
