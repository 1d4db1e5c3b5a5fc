import { useEffect } from 'react';
import { useNavigate } from './router-context.tsx';

/** Redirects as soon as it is rendered, replacing the current history entry. */
export function Navigate({ to }: { to: '/not-found' }) {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to, replace: true });
  }, [navigate, to]);
  return null;
}
