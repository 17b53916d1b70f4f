import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import type { ProblemItem } from '../common/errors/problem-item.js';
import { ThreadPool } from '../common/threads/thread-pool.js';
import { GitSourceReader } from '../git-sources/git-source.reader.js';
import { findInterpreterProblems } from '../library/library-content.js';
import { LIBRARY_USE, type FindLibraryUsers } from '../library/library-use.js';
import { LibraryService, type LibraryUpdate } from '../library/library.service.js';
import { SCRIPTS } from './script-kind.js';
import {
  SCRIPT_VIEWS,
  type ScriptRevisionSummaryView,
  type ScriptSummaryView,
  type ScriptView,
} from './scripts.view.js';

@Injectable()
export class ScriptsService extends LibraryService<ScriptSummaryView, ScriptView, ScriptRevisionSummaryView> {
  constructor(
    units: UnitOfWork,
    audit: AuditTrail,
    git: GitSourceReader,
    threads: ThreadPool,
    @Inject(LIBRARY_USE) use: FindLibraryUsers,
  ) {
    super(SCRIPTS, SCRIPT_VIEWS, { units, audit, git, threads, use });
  }

  protected override async findFaults(_: Principal, { interpreter }: LibraryUpdate): Promise<ProblemItem[]> {
    return interpreter == null ? [] : findInterpreterProblems(interpreter, '/interpreter');
  }
}
