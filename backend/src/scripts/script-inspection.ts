import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { invalidRequest } from '../common/errors/problem.js';
import { findInterpreterProblems } from '../library/library-content.js';
import { MAX_CONTENT_BYTES } from '../library/library-kind.js';
import { LibraryRecords } from '../library/library-records.js';
import { GitSourceReader } from '../git-sources/git-source.reader.js';
import { SCRIPTS } from './script-kind.js';
import { scriptProgram } from './script-program.js';
import { scriptWarnings } from './script-warnings.js';
import type { InspectScriptQuery } from './scripts.dto.js';
import type { ScriptInspectionView } from './scripts.view.js';

/**
 * Determines the program that runs a script, and likely mistakes in the script. Content in a git source is read at the
 * commit of the latest sync.
 */
@Injectable()
export class ScriptInspection {
  private readonly records = new LibraryRecords(SCRIPTS);

  constructor(
    private readonly units: UnitOfWork,
    private readonly git: GitSourceReader,
  ) {}

  /** @throws Problem 400; 404; 409 as `GitSourceReader.place` and `text`; 503 `installation_held` */
  async inspect(caller: Principal, id: string, { interpreter }: InspectScriptQuery): Promise<ScriptInspectionView> {
    const faults = interpreter === undefined ? [] : findInterpreterProblems(interpreter, '?interpreter');
    if (faults.length > 0) throw invalidRequest(faults);
    const { script, placed } = await this.units.run(caller.tenantId, async (tx) => {
      const row = await this.records.findVisible(tx, caller, id);
      const [at] = row.source ? await this.git.locateFiles(tx, caller.tenantId, [row.source]) : [];
      return { script: row, placed: at };
    });
    const content = placed ? await this.git.readText(placed, MAX_CONTENT_BYTES) : script.content;
    const program = scriptProgram(interpreter ?? script.interpreter, content);
    return { program, warnings: scriptWarnings(program.words, content), commit: placed?.at.commit ?? null };
  }
}
