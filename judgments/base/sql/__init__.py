"""SQL text of the judging side. Actions call it inside their transactions; reports only read.

Locks are always taken in this order, so that no two transactions wait for each other in a circle:

0. the right to change many pairs of the list (`locks`), one transaction at a time;
1. the list (`locks`): shared by what one rater does to one pair, exclusive for what concerns many pairs;
2. the rater's place in the list (RaterQueue): what one rater does in two tabs runs one after the other;
3. the pair;
4. its slots, its judgments, its consensus grade;
5. the query in the list (ListQuery), last, since every rater of the query needs it.

An import of judgments takes 0 and writes the pairs that no rater holds, without waiting for one that somebody has locked.
Then it takes 1 for the few others and for the rows that every rater needs (2 and 5).

What a rater asks for waits at most as long as the view says (`locks.waiting_at_most`), so that waiting raters do not fill
the threads of the site. That is less than PostgreSQL's deadlock_timeout: a rater who waits for a pair of the import, while
the import waits for 1, gives way before PostgreSQL ends one of them.

Taking pairs out of a list takes 1, then the slots and then their pairs: claims hold slots alone, and look at their pair at the
end of the transaction.

Imports take, after the lists and before any row, the content of the query set (`locks.lock_content`): two files may name
the same new queries, documents and raters in any order, and the second import finds what the first has made.

Claiming takes 2 and 4 only, and skips slots that are locked: it waits for nobody once it has 2. So what concerns many
pairs may take 2 of every rater last, to let them begin a new round.
"""
