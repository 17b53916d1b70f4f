import { useQuery } from '@tanstack/react-query';
import { scriptChoicesQuery } from '../../../api/queries/library/scripts';
import { templateChoicesQuery } from '../../../api/queries/library/templates';
import { planChoicesQuery } from '../../../api/queries/plans/plans';
import type { PlanStep } from '../../../api/types';
import { AnchorLink } from '../../../ui/page/links';

/** Links to the script, template and called plan of a step. */
export function StepLinks({ step: { scriptId, templateId, planId } }: { step: PlanStep }) {
  return (
    <>
      {scriptId && <ScriptLink id={scriptId} />}
      {templateId && <TemplateLink id={templateId} />}
      {planId && <PlanLink id={planId} />}
    </>
  );
}

function ScriptLink({ id }: { id: string }) {
  const { data } = useQuery(scriptChoicesQuery);
  return (
    <AnchorLink to="/scripts/$id" params={{ id }} underline="always" className="rw-wrap-anywhere">
      {nameIn(data?.items, id)}
    </AnchorLink>
  );
}

function TemplateLink({ id }: { id: string }) {
  const { data } = useQuery(templateChoicesQuery);
  return (
    <AnchorLink to="/templates/$id" params={{ id }} underline="always" className="rw-wrap-anywhere">
      {nameIn(data?.items, id)}
    </AnchorLink>
  );
}

function PlanLink({ id }: { id: string }) {
  const { data } = useQuery(planChoicesQuery);
  return (
    <AnchorLink to="/plans/$id" params={{ id }} underline="always" className="rw-wrap-anywhere">
      {nameIn(data?.items, id)}
    </AnchorLink>
  );
}

/** Returns the current name of the record, or the ID if the record was deleted or is not loaded. */
const nameIn = (items: readonly { id: string; name: string }[] | undefined, id: string): string =>
  items ? (items.find((item) => item.id === id)?.name ?? id) : '…';
