import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { planChoicesQuery } from '../../../api/queries/plans/plans';
import { scriptChoicesQuery } from '../../../api/queries/library/scripts';
import { templateChoicesQuery } from '../../../api/queries/library/templates';
import type { PlanStep } from '../../../api/types';
import { AnchorLink } from '../../../ui/page/links';
import { formType } from '../form/types/step-types';

export function RevisionStep({ step }: { step: PlanStep }) {
  const text = formType(step.type).summary(step);
  return (
    <div>
      <Text fw={550} mb={4} component="div">
        {step.name} {step.targets && <Code>{step.targets}</Code>}
        {step.type !== 'command' && (
          <Text span size="xs" c="dimmed">
            {step.type}
          </Text>
        )}{' '}
        {step.scriptId && <ScriptLink id={step.scriptId} />}
        {step.templateId && <TemplateLink id={step.templateId} />}
        {step.planId && <PlanLink id={step.planId} />}
        {step.forEach != null && (
          <Text span size="xs" c="dimmed">
            for each of {Array.isArray(step.forEach) ? step.forEach.join(', ') : step.forEach}
          </Text>
        )}
      </Text>
      {text !== '' && (
        <Code block tabIndex={0} className="rw-pre-wrap">
          {text}
        </Code>
      )}
    </div>
  );
}

function ScriptLink({ id }: { id: string }) {
  const { data } = useQuery(scriptChoicesQuery);
  return (
    <AnchorLink to="/scripts/$id" params={{ id }}>
      {nameIn(data?.items, id)}
    </AnchorLink>
  );
}

function PlanLink({ id }: { id: string }) {
  const { data } = useQuery(planChoicesQuery);
  return (
    <AnchorLink to="/plans/$id" params={{ id }}>
      {nameIn(data?.items, id)}
    </AnchorLink>
  );
}

function TemplateLink({ id }: { id: string }) {
  const { data } = useQuery(templateChoicesQuery);
  return (
    <AnchorLink to="/templates/$id" params={{ id }}>
      {nameIn(data?.items, id)}
    </AnchorLink>
  );
}

/** Returns the current name of the record, or the ID if the record was deleted or is not loaded. */
const nameIn = (items: readonly { id: string; name: string }[] | undefined, id: string): string =>
  items ? (items.find((item) => item.id === id)?.name ?? id) : '…';
