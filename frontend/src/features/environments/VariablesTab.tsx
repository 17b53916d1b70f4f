import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeleteVariable, usePutVariable, variablesQuery } from '../../api/queries/inventory/environment-variables';
import { listState } from '../../ui/tables/list-state';
import { VariablesPanel } from '../../ui/variables/VariablesPanel';

interface Props {
  environmentId: string;
  /** Why an operator cannot change the variables; null = can. */
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
          Exported to all commands in this environment. Plans that declare the name can also use it in{' '}
          <span className="rw-mono">{'{{ }}'}</span>. Values of servers and values set at start override these.
        </>
      }
      empty="Use variables for values that differ between environments, such as a region or a password."
      afterDelete="New runs do not get this value. Plans that require it ask for a value at start."
    />
  );
}
