// The token that Django asks of every POST. Signing in anew, perhaps in another tab, changes it; the cookie's is always right.
export const csrfToken = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];
