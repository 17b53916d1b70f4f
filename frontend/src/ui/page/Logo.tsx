export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden focusable="false">
      <path d="M16 2 4 6v9c0 7.2 4.9 12.7 12 15 7.1-2.3 12-7.8 12-15V6L16 2Z" fill="var(--rw-brand)" />
      <path
        d="m10 10 5 5.5-5 5.5M16.5 10l5 5.5-5 5.5"
        fill="none"
        stroke="#fff"
        strokeWidth={2.6}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
