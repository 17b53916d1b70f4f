import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { planChoicesQuery } from '../../../api/queries/plans/plans';
import { scriptChoicesQuery } from '../../../api/queries/library/scripts';
import { templateChoicesQuery } from '../../../api/queries/library/templates';
import type { PlanStep } from '../../../api/types';
import { AnchorLink } from '../../../ui/page/links';

export function RevisionStep({ step }: { step: PlanStep }) {
  const text = contentOf(step);
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

/** Main text of a step, without its script or template. */
function contentOf(step: PlanStep): string {
  switch (step.type) {
    case 'command':
      return step.command ?? '';
    case 'script':
      return (step.arguments ?? []).join(' ');
    case 'template':
      return `to ${step.path}`;
    case 'file':
      return `${step.sourcePath} to ${step.path}`;
    case 'wait':
      return step.url ?? `port ${step.port}`;
    case 'gate':
      return step.message ?? '';
    case 'plan':
      return Object.entries(step.variables ?? {})
        .map(([name, value]) => `${name}: ${String(value)}`)
        .join('\n');
  }
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
