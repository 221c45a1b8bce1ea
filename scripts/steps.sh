# For scripts that consist of steps. `step NAME` begins a step and ends the one before; `end_step` ends the last one. Each end
# prints the seconds that the step took. When the script exits, it prints a table of all steps; one without an end has failed.

step_mark="${step_mark:-==}"
step_name=""
step_start=0
step_table=""

step() {
    end_step
    step_name="$*"
    step_start=$SECONDS
    printf '\n%s %s\n' "$step_mark" "$step_name"
}

# usage: end_step [RESULT]
end_step() {
    [ -n "$step_name" ] || return 0
    local result="${1:-passed}" seconds=$((SECONDS - step_start))
    printf '%s %s after %d s: %s\n' "$step_mark" "$result" "$seconds" "$step_name"
    step_table+="$(printf '%-6s %6d s  %s' "$result" "$seconds" "$step_name")"$'\n'
    step_name=""
}

print_steps() {
    end_step failed
    [ -z "$step_table" ] || printf '\n%s Steps\n%s%-6s %6d s\n' "$step_mark" "$step_table" "in all" "$SECONDS"
}
trap print_steps EXIT
