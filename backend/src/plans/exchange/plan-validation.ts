import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { ProblemItem } from '../../common/errors/problem-item.js';
import { toPlanForm } from '../code/plan-form.js';
import { isFields, type TextPlace } from '../code/plan-text.js';
import { PlanWarnings } from '../plan-warnings.js';
import { findPlace } from '../code/place-of.js';
import type { CheckPlanRequest } from './exchange.dto.js';
import { type PlanCheckView, type PlanFaultView, toPlanFaultView, toPlanFieldsView } from './exchange.view.js';
import { REFERENCE_SYNONYMS } from './plan-export.js';
import { PlanNames } from './plan-names.js';
import { PlanTexts } from './plan-texts.js';

@Injectable()
export class PlanValidation {
  constructor(
    private readonly units: UnitOfWork,
    private readonly texts: PlanTexts,
    private readonly names: PlanNames,
    private readonly warnings: PlanWarnings,
  ) {}

  async check(caller: Principal, { content, base }: CheckPlanRequest): Promise<PlanCheckView> {
    const read = await this.texts.readText(caller, content);
    if (read.faults.length > 0) {
      const faults = read.faults.map(({ place, ...fault }) => toFaultView({ ...fault, ...place }));
      return { faults, warnings: [], plan: null, yaml: null };
    }
    const { faults, plan, form } = await this.units.run(caller.tenantId, async (tx) => {
      const looked = await this.texts.validate(tx, caller, read);
      const names = await this.names.readReferenceNames(tx, caller, looked.fields);
      return { ...looked, form: isFields(read.value) ? toPlanForm(looked.fields, names) : null };
    });
    const [yaml = null] = form
      ? await this.texts.writeTexts(caller, [{ ...form, synonyms: REFERENCE_SYNONYMS, base: base ?? null }])
      : [];
    const found = plan ? await this.warnings.findAllWarnings(caller, plan.content.steps) : [];
    const warnings = found.map((each) => toPlanFaultView({ ...each, ...findPlace(read.places, each.path) }));
    return { faults: faults.map(toFaultView), warnings, plan: plan && toPlanFieldsView(plan), yaml };
  }
}

const toFaultView = ({ code, message, ...place }: TextPlace & Omit<ProblemItem, 'line' | 'column'>): PlanFaultView =>
  toPlanFaultView({ ...place, reason: { code, text: message } });
