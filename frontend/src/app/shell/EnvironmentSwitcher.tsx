import { EnvironmentSelect } from '../../ui/environments/EnvironmentSelect';
import classes from './shell.module.css';
import { useEnvironmentChoice } from './useEnvironmentChoice';

/** Limits the lists that the menu opens to one environment. */
export function EnvironmentSwitcher() {
  const { chosen, choose } = useEnvironmentChoice();
  return (
    <EnvironmentSelect
      aria-label="Limit lists to"
      all="All environments"
      value={chosen ?? ''}
      onChange={(id) => choose(id || null)}
      allowDeselect={false}
      className={classes.environment}
    />
  );
}
