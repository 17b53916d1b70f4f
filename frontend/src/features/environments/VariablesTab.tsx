import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeleteVariable, usePutVariable, variablesQuery } from '../../api/queries/inventory/environment-variables';
import { listState } from '../../ui/tables/list-state';
import { VariablesPanel } from '../../ui/variables/VariablesPanel';

interface Props {
  environmentId: string;
  /** Why an operator can't change the variables; null when they can. */
  unless: string | null;
}

export function VariablesTab({ environmentId, unless }: Props) {
  return (
    <VariablesPanel
      variables={listState(useInfiniteQuery(variablesQuery(environmentId)))}
      put={usePutVariable(environmentId)}
      remove={useDeleteVariable(environmentId)}
      unless={unless}
      about={
        <>
          Exported to every command that runs here. A plan that declares the name can also use it in{' '}
          <span className="rw-mono">{'{{ }}'}</span>. A server’s own value, and one that a start gives, go before it.
        </>
      }
      empty="Values that differ between environments, such as a region or a password, belong here instead of in plans."
      afterDelete="Runs that start from now on don’t get it. A plan that needs it asks for a value instead."
    />
  );
}
