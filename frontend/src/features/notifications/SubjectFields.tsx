import { Checkbox, MultiSelect, SimpleGrid } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useAccess } from '../../access/useAccess';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';
import { planChoicesQuery } from '../../api/queries/plans/plans';
import type { RuleForm } from './rule-form';
import { EVENTS } from './rule-words';

const choicesOf = (data: { items: { id: string; name: string }[] } | undefined) =>
  (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));

/** Events, environments and plans of a rule. */
export function SubjectFields({ form }: { form: UseFormReturnType<RuleForm> }) {
  const { can } = useAccess();
  const environments = useQuery(environmentChoicesQuery);
  const plans = useQuery(planChoicesQuery);
  const { events, environmentIds, planIds } = form.values;
  // Operators cannot add events that are reported only to admins, but can remove them.
  const isOffered = ({ value }: (typeof EVENTS)[number]) =>
    value !== 'webhook.disabled' || can('admin') || events.includes(value);
  return (
    <>
      <Checkbox.Group label="Events" withAsterisk {...form.getInputProps('events')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt={6}>
          {EVENTS.filter(isOffered).map(({ value, label, hint }) => (
            <Checkbox key={value} value={value} label={label} description={hint} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <MultiSelect
        label="Environments"
        description="Empty: all environments that you can view, including future ones."
        data={choicesOf(environments.data)}
        searchable
        placeholder={environmentIds.length === 0 ? 'All' : undefined}
        {...form.getInputProps('environmentIds')}
      />
      <MultiSelect
        label="Plans"
        data={choicesOf(plans.data)}
        searchable
        placeholder={planIds.length === 0 ? 'All' : undefined}
        {...form.getInputProps('planIds')}
      />
    </>
  );
}
