//! The tests that every backend has to pass. `store_suite!` runs all of them on one backend.

pub mod change;
pub mod crash;
pub mod equivalence;
pub mod history;
pub mod locking;
pub mod rebuilding;
pub mod search;
pub mod trees;

/// Defines a module of tests, named after the backend. They pass without doing anything if the backend is not available. A
/// function of the suite that is missing here is dead code, which the build rejects.
macro_rules! store_suite {
    ($backend:ident, $open:expr, $is_there:expr) => {
        mod $backend {
            $crate::suite::store_suite!(@group $open, $is_there, change: [
                what_is_written_is_read_back,
                an_edit_keeps_the_rows_and_vectors_of_unchanged_chunks,
                vectors_are_read_back_by_row,
                known_vectors_are_written_with_their_file,
                a_removed_file_leaves_nothing_behind,
                a_touched_file_keeps_everything_but_its_time,
                a_vector_that_comes_too_late_is_dropped,
                a_refused_text_is_not_offered_again,
                figures_that_are_kept_are_those_of_a_count,
                files_are_read_by_place,
                another_provider_begins_without_vectors_and_keeps_everything_else,
                generated_code_waits_until_all_other_has_vectors,
            ]);
            $crate::suite::store_suite!(@group $open, $is_there, crash: [
                a_killed_writer_leaves_a_sound_index_that_goes_on,
                a_killed_holder_frees_the_lock,
            ]);
            $crate::suite::store_suite!(@group $open, $is_there, search: [
                identifiers_of_every_fashion_find_each_other,
                filters_restrict_words_and_directions_alike,
                definitions_are_found_whole_begun_by_words_and_nearly,
                another_spelling_is_a_word_of_the_names_at_hand,
                a_definition_is_filtered_by_its_own_kind,
                a_reader_in_another_connection_follows_the_writer,
                one_call_joins_the_lists_and_compares_each_chunk_by_all,
                parts_are_asked_for_themselves,
                ranking_knows_the_words_of_a_chunk_and_texts_are_read_by_row,
                files_are_found_by_name,
                only_live_chunks_count_for_a_word,
                many_names_are_answered_in_their_order,
            ]);
            $crate::suite::store_suite!(@group $open, $is_there, equivalence: [
                a_filtered_search_finds_the_best_that_the_filter_allows,
                words_find_the_chunks_that_hold_them,
                an_edited_index_ranks_like_a_new_one,
                the_nearest_of_many_are_those_of_a_comparison_with_all,
                no_text_of_a_user_breaks_a_search,
            ]);
            $crate::suite::store_suite!(@group $open, $is_there, history: [
                commits_are_read_back_as_they_were_written,
                commits_that_are_not_kept_are_gone_with_their_paths,
                commits_that_are_written_again_are_replaced,
                named_files_bring_their_best_chunks,
            ]);
            $crate::suite::store_suite!(@group $open, $is_there, locking: [
                a_second_holder_is_told_who_holds_the_lock,
                locks_of_different_roles_are_independent,
                waiting_for_a_lock_ends_when_cancelled,
                readers_in_many_threads_and_a_writer_do_not_disturb_each_other,
            ]);
            $crate::suite::store_suite!(@group $open, $is_there, rebuilding: [
                there_is_no_index_before_it_is_created,
                a_rebuild_replaces_the_index_under_its_readers,
                a_rebuild_into_another_space_changes_the_space,
                a_rebuild_that_is_given_up_leaves_the_old_index,
                an_index_that_was_set_aside_makes_room_for_another,
                a_removed_index_is_gone,
            ]);
            $crate::suite::store_suite!(@group $open, $is_there, trees: [
                every_tree_answers_as_an_index_of_its_own_files,
                vectors_of_the_working_tree_are_those_of_the_same_text_in_a_commit,
                the_oldest_of_too_many_commits_are_forgotten,
                a_commit_that_was_begun_and_given_up_is_not_there,
            ]);
        }
    };
    (@group $open:expr, $is_there:expr, $group:ident: [$($test:ident,)*]) => {
        mod $group {
            $(
                #[test]
                fn $test() {
                    if $is_there {
                        crate::suite::$group::$test($open);
                    }
                }
            )*
        }
    };
}
pub(crate) use store_suite;
