interface Props {
  run: { planName: string; environmentName: string };
}

/** Plan and environment of a run. Isolated, because one of the names may be right-to-left. */
export const RunName = ({ run: { planName, environmentName } }: Props) => (
  <>
    <bdi>{planName}</bdi> → <bdi>{environmentName}</bdi>
  </>
);
