import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { type UnitHooks, runWithUnitHooks, UnitOfWork } from '../common/database/unit-of-work.js';
import { Problem } from '../common/errors/problem.js';
import { MAX_CONTENT_BYTES } from '../library/library-kind.js';
import { GitSourceReader } from '../git-sources/git-source.reader.js';
import { type ScriptContent, ScriptReader } from '../scripts/script.reader.js';
import { interpreterWarning } from '../scripts/script-warnings.js';
import type { PlanWarningView } from './plans.view.js';

interface Step {
  readonly key: string;
  readonly type: string;
  readonly scriptId?: string;
  readonly interpreter?: string | null;
}

interface InterpreterOverride {
  readonly index: number;
  readonly key: string;
  readonly scriptId: string;
  readonly interpreter: string;
}

/**
 * Prevents later reads from affecting the response for an `Idempotency-Key`, which was stored when the change was
 * committed.
 */
const NO_HOOKS: UnitHooks = { afterBegin: () => Promise.resolve(), beforeCommitting: () => Promise.resolve() };

/** Finds steps whose `interpreter` contradicts line 1 of their script. */
@Injectable()
export class PlanWarnings {
  constructor(
    private readonly units: UnitOfWork,
    private readonly scripts: ScriptReader,
    private readonly git: GitSourceReader,
  ) {}

  async getLibraryWarnings(tx: EntityManager, tenantId: string, steps: readonly Step[]): Promise<PlanWarningView[]> {
    const overrides = listOverrides(steps);
    if (overrides.length === 0) return [];
    return findOverrideWarnings(overrides, await this.scripts.latest(tx, tenantId, overrides.map(scriptIdOf)));
  }

  /**
   * Like `getLibraryWarnings`, but also warns about scripts of git sources whose commit is on this machine. Must not be called
   * in a transaction.
   */
  async findAllWarnings({ tenantId }: Principal, steps: readonly Step[]): Promise<PlanWarningView[]> {
    const overrides = listOverrides(steps);
    if (overrides.length === 0) return [];
    return runWithUnitHooks(NO_HOOKS, async () => {
      const scripts = await this.units.run(tenantId, (tx) =>
        this.scripts.latest(tx, tenantId, overrides.map(scriptIdOf)),
      );
      for (const [id, script] of scripts) {
        const content = await this.readScriptContent(tenantId, script);
        if (content === null) scripts.delete(id);
        else scripts.set(id, { ...script, content });
      }
      return findOverrideWarnings(overrides, scripts);
    });
  }

  /** Null = not readable now. A start reports the reason. */
  private async readScriptContent(tenantId: string, { source, content }: ScriptContent): Promise<string | null> {
    if (!source) return content;
    try {
      const [placed] = await this.units.run(tenantId, (tx) => this.git.locateFiles(tx, tenantId, [source]));
      return placed ? await this.git.readStoredText(placed, MAX_CONTENT_BYTES) : null;
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }
}

const listOverrides = (steps: readonly Step[]): InterpreterOverride[] =>
  steps.flatMap(({ type, key, scriptId, interpreter }, index) =>
    type === 'script' && scriptId !== undefined && interpreter ? [{ index, key, scriptId, interpreter }] : [],
  );

const scriptIdOf = ({ scriptId }: InterpreterOverride): string => scriptId;

const findOverrideWarnings = (
  overrides: readonly InterpreterOverride[],
  scripts: ReadonlyMap<string, ScriptContent>,
): PlanWarningView[] =>
  overrides.flatMap(({ index, key, scriptId, interpreter }) => {
    const script = scripts.get(scriptId);
    const warning = script && interpreterWarning(interpreter, script.content);
    if (!warning) return [];
    const text = `Step "${key}" runs the script "${script.name}". ${warning.reason.text}`;
    return [{ path: `/steps/${index}/interpreter`, reason: { code: warning.reason.code, text } }];
  });
