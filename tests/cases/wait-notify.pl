#!/usr/bin/perl
# One case of Wait and Notify, ./case.json, through `notify --nifi` and `fanline wait --nifi`, over
# SQLite, over Redis, and over Redis in NiFi's own form; see tests/cases/run.  With
# FANLINE_CASES_PLAIN=1 without --nifi, over the first two: then only where lines go is compared, and
# what NiFi left in its queue counts as waiting.  Status 77: the case means nothing there.
#
# A message is a line: its attributes are members, its content is the member "case.content".  The whole
# store is written before and compared after by `signalctl --nifi`.  Cases with faults, or with a clock
# that stands still, run programs that faults.c is linked into (FANLINE_FAULTY).  Redis is that of
# FANLINE_CASES_REDIS, which is emptied.  Perl, core only.

use utf8;
use strict;
use warnings;
use JSON::PP;
use Time::HiRes;

my $json = JSON::PP->new->canonical->allow_nonref;
my $plain = $ENV{FANLINE_CASES_PLAIN};
my $case = read_case();
my ($bad, $where) = (0, '');
my @relations = qw(success wait expired failure upstream);
my $content = 'case.content';

sub read_case
{
    open my $in, '<', 'case.json' or die "case.json: $!\n";
    local $/;
    return JSON::PP->new->utf8->decode(scalar <$in>);
}

sub say_wrong
{
    print bytes("$where: @_; ");
    $bad = 1;
}

my $time = int(Time::HiRes::time() * 1000); # milliseconds since 1970

# @NOW, @NOW-101, @NOW+60000 in a value.
sub moment
{
    my ($text) = @_;
    return $text unless defined $text && !ref $text && $text =~ /^\@NOW(?:([-+])(\d+))?$/;
    return $time + (defined $1 ? ($1 eq '-' ? -$2 : $2) : 0) . '';
}

sub write_file
{
    my ($name, $bytes) = @_;
    open my $out, '>', $name or die "$name: $!\n";
    binmode $out;
    print $out $bytes;
    close $out or die "$name: $!\n";
}

sub read_file
{
    my ($name) = @_;
    open my $in, '<', $name or return '';
    binmode $in;
    local $/;
    my $bytes = <$in>;
    return defined $bytes ? $bytes : '';
}

# Run a program with standard input from a file: its status, with standard output in `out`.
sub run
{
    my ($input, $output, $environment, @command) = @_;
    my $pid = fork();
    die "fork: $!\n" unless defined $pid;
    if ($pid == 0) {
        %ENV = (%ENV, %$environment);
        open STDIN, '<', $input or die;
        open STDOUT, '>', $output or die;
        open STDERR, '>', 'err' or die;
        exec { $command[0] } @command or exit 127;
    }
    waitpid $pid, 0;
    return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

# The same for what must succeed.
sub must
{
    my ($environment, @command) = @_;
    my $status = run('/dev/null', 'out', $environment, @command);
    return if $status == 0;
    my $what = join ' ', @command;
    say_wrong("$what: exit $status: " . read_file('err'));
}

# ---- the options of a case ----

my %letters = (
    'release-signal-id' => '-s', 'signal-counter-name' => '-c', 'signal-counter-delta' => '-d',
    'signal-buffer-count' => '-B', 'wait-buffer-count' => '-B', 'attribute-cache-regex' => '-a',
    'target-signal-count' => '-n', 'releasable-flowfile-count' => '-r',
    'expiration-duration' => '-x', 'wait-penalty-duration' => '--penalty',
);

sub options
{
    my @list;
    for my $name (sort keys %{$case->{options} || {}}) {
        my $value = $case->{options}{$name};
        if ($name eq 'attribute-copy-mode') {
            push @list, '--copy', $value eq 'replace' ? 'replace' : 'keep';
        } elsif ($name eq 'wait-mode' || $name eq 'distributed-cache-service') {
            next;
        } elsif ($letters{$name}) {
            push @list, $letters{$name}, bytes($value);
        } else {
            die "no option for $name\n";
        }
    }
    return @list;
}

# The words of faults.c for the faults of a case.
sub faults
{
    my $faults = $case->{faults} || {};
    my @words;
    for my $name (sort keys %$faults) {
        my $value = $faults->{$name};
        my $list = ref $value eq 'ARRAY' ? join(',', @$value) : $value;
        if ($name eq 'store_down') { push @words, 'down' if $value }
        elsif ($name eq 'fail_replace_calls') { push @words, "lose=$list" }
        elsif ($name eq 'io_error_on_replace') { push @words, "break=$list" }
        elsif ($name eq 'bump_revision_on_fetch') { push @words, "bump=$list" }
        elsif ($name eq 'remove_entry_on_fetch') { push @words, "remove=$list" }
        elsif ($name eq 'remove_entry_before_replace') { push @words, "vanish=$list" }
        elsif ($name eq 'recreate_entry_on_fetch') {
            push @words, "make=$value->{call} " . $json->encode($value->{entry});
        } elsif ($name eq 'change_entry_before_remove') {
            push @words, 'change=' . $json->encode($value);
        } else {
            die "no fault $name\n";
        }
    }
    my $bytes = ($case->{revision} || 'numeric') eq 'bytes';
    push @words, 'numbers' if @words && !$bytes;
    return @words;
}

# ---- the store ----

sub fill_store
{
    my ($environment, $foreign) = @_;
    for my $id (sort keys %{$case->{initial_store} || {}}) {
        my $entry = $case->{initial_store}{$id};
        if (exists $entry->{raw} || exists $entry->{legacy_attributes}) {
            my $old = $entry->{legacy_attributes} || {};
            my $text = exists $entry->{raw} ? $entry->{raw}
                : join '<|--|>', map { "$_=$old->{$_}" } sort keys %$old;
            must($environment, 'redis-cli', '-s', $foreign, 'set', bytes($id), bytes($text));
        } else {
            must($environment, 'signalctl', '--nifi', 'set', bytes($id),
                bytes($json->encode($entry)));
        }
    }
}

sub bytes
{
    my ($text) = @_;
    utf8::encode($text);
    return $text;
}

# Notify once, as a case has it: without --nifi a delta of 0 is --clear.
sub notify
{
    my ($environment, $program, $n) = @_;
    my @command = ($program, '-q', '-c', bytes($n->{counter}));
    push @command, $plain && $n->{delta} == 0 ? '--clear' : ('-d', $n->{delta});
    my $attributes = $n->{attributes} || {};
    push @command, '--set', bytes("$_=$attributes->{$_}") for sort keys %$attributes;
    if ($plain) {
        return run('/dev/null', 'out', $environment, @command, '--', bytes($n->{id}));
    }
    # A line and one trigger: notify itself would try again for some seconds.
    write_file('in', JSON::PP->new->utf8->encode({id => $n->{id}}) . "\n");
    return run('in', 'out', $environment, @command, '--nifi', '--triggers', 1, '-s', '${id}',
        '--left=left');
}

sub compare_store
{
    my ($environment) = @_;
    my $want = $case->{expect}{store_after};
    return unless defined $want && !$plain;
    must($environment, 'signalctl', '--nifi', 'list');
    my %got;
    for my $line (split /\n/, read_file('out')) {
        my $entry = JSON::PP->new->utf8->decode($line);
        my $id = delete $entry->{id};
        delete $entry->{attributes}{$content};
        $got{$id} = $entry;
    }
    my ($a, $b) = ($json->encode($want), $json->encode(\%got));
    say_wrong("store $b, expected $a") unless same_values($want, \%got);
}

# Numbers and texts are equal when they look the same.
sub same_values
{
    my ($a, $b) = @_;
    return 0 if ref $a ne ref $b;
    if (ref $a eq 'HASH') {
        return 0 if keys %$a != keys %$b;
        exists $b->{$_} && same_values($a->{$_}, $b->{$_}) || return 0 for keys %$a;
        return 1;
    }
    return "$a" eq "$b";
}

# ---- lines ----

sub line_of
{
    my ($message) = @_;
    my %members = map { $_ => moment($message->{attributes}{$_}) }
        keys %{$message->{attributes} || {}};
    $members{$content} = $message->{content};
    return JSON::PP->new->canonical->utf8->encode(\%members) . "\n";
}

sub lines_in
{
    my ($name) = @_;
    return map { JSON::PP->new->utf8->decode($_) } grep { length } split /\n/, read_file($name);
}

sub text_of
{
    my ($value) = @_;
    return ref $value ? $json->encode($value) : $value;
}

sub compare_message
{
    my ($relation, $want, $got) = @_;
    my $name = "$relation “$want->{content}”";
    if ($got->{$content} ne $want->{content}) {
        say_wrong("$name: got “$got->{$content}”");
        return;
    }
    return if $plain;
    for my $key (sort keys %{$want->{attributes} || {}}) {
        my $value = moment($want->{attributes}{$key});
        my $have = exists $got->{$key} ? text_of($got->{$key}) : '(none)';
        say_wrong("$name: $key is $have, expected $value") unless $have eq $value;
    }
    exists $got->{$_} && say_wrong("$name has $_") for @{$want->{absent} || []};
    exists $got->{$_} || say_wrong("$name has no $_") for @{$want->{present} || []};
}

sub compare_list
{
    my ($relation, $want, @got) = @_;
    my $have = join ',', map { text_of($_->{$content}) } @got;
    my $expected = join ',', map { $_->{content} } @$want;
    if (@got != @$want) {
        say_wrong("$relation: ($have), expected ($expected)");
        return;
    }
    compare_message($relation, $want->[$_], $got[$_]) for 0 .. $#got;
}

sub compare_set
{
    my ($relation, $want, @got) = @_;
    my $have = join ',', sort map { text_of($_->{$content}) } @got;
    my $expected = join ',', sort @$want;
    say_wrong("$relation: ($have), expected ($expected)") unless $have eq $expected;
}

# ---- errors ----

sub kind_of
{
    my ($text) = @_;
    return 'concurrent-modification' if $text =~ /changed by somebody else/;
    return 'bad-entry' if $text =~ /no form that is known|WRONGTYPE/;
    return 'arithmetic' if $text =~ /division by zero/;
    return 'index' if $text =~ /negative number of tickets/;
    return 'store-io' if $text =~ /the store failed|No such file/;
    return 'other';
}

sub compare_error
{
    my ($status) = @_;
    my $want = $case->{expect}{error};
    my $text = read_file('err');
    $text =~ s/\s+/ /g;
    if (!$want) {
        say_wrong("exit $status: $text") if $status != 0;
    } elsif ($status == 0) {
        say_wrong("no error, expected $want->{kind}");
    } elsif (kind_of($text) ne $want->{kind}) {
        say_wrong("exit $status: $text, expected $want->{kind}");
    }
}

# ---- a wait or a notify ----

sub triggers
{
    return ('--triggers', $case->{triggers} || 1);
}

sub drive_wait
{
    my ($environment, $bin) = @_;
    my $keep = ($case->{options}{'wait-mode'} || 'wait') eq 'keep';
    my $penalties = $case->{initial_penalties} || {};
    my $input = '';
    for my $message (@{$case->{wait_in} || []}) {
        $input .= line_of($message);
    }
    for my $id (keys %$penalties) { # a line of the id brings its penalty along
        my $until = moment($penalties->{$id});
        $input =~ s/^\{(.*"sig":\Q${\ bytes($json->encode($id))}\E.*)\}$/{$1,"wait.penalty.until":$until}/m;
    }
    write_file('in', $input);
    my @mode = $plain ? '--mode=pass' : $keep ? '--mode=hold' : '--mode=pass';
    my @nifi = $plain ? () : ('--nifi', '-v', triggers(), '--left=left');
    write_file($_, '') for qw(expired waiting failure left);
    my $status = run('in', 'success', $environment, "$bin/wait", options(), @mode, @nifi,
        '--expired=expired', '--waiting=waiting', '--failure=failure');
    compare_error($status) unless $plain && $status == 75;
    my $expect = $case->{expect};
    my @waiting = lines_in('waiting');
    compare_list('success', $expect->{success}, lines_in('success'));
    compare_list('expired', $expect->{expired}, lines_in('expired'));
    compare_list('failure', $expect->{failure}, lines_in('failure'));
    if ($plain) {
        my @stay = map { $_->{content} } map { @{$expect->{$_} || []} } qw(wait upstream);
        compare_set('held', [@stay, @{$expect->{left_in_queue} || []}], @waiting);
        return;
    }
    compare_list('wait', $expect->{wait}, $keep ? () : @waiting);
    compare_list('upstream', $expect->{upstream}, $keep ? @waiting : ());
    compare_set('left in queue', $expect->{left_in_queue} || [], lines_in('left'));
    compare_penalties() if $expect->{penalties_after};
    compare_store($environment);
}

sub compare_penalties
{
    my %got = map { $_ => 1 } read_file('err') =~ /^wait: signal '(.*)' is set aside until/mg;
    for my $id (keys %{$case->{initial_penalties} || {}}) { # those of ids without a line
        my $has_line = grep { ($_->{attributes}{sig} || '') eq $id } @{$case->{wait_in}};
        $got{bytes($id)} = 1 if !$has_line && moment($case->{initial_penalties}{$id}) >= $time;
    }
    my $have = join ',', sort keys %got;
    my $want = join ',', sort map { bytes($_) } @{$case->{expect}{penalties_after}};
    say_wrong("penalised: ($have), expected ($want)") unless $have eq $want;
}

sub drive_notify
{
    my ($environment, $bin) = @_;
    write_file('in', join '', map { line_of($_) } @{$case->{notify_in} || []});
    write_file($_, '') for qw(failure left);
    my @nifi = $plain ? () : ('--nifi', triggers(), '--left=left');
    my $status = run('in', 'success', $environment, "$bin/notify", '-q', options(), @nifi,
        '--failure=failure');
    compare_error($status);
    my $expect = $case->{expect};
    my @success = lines_in('success');
    if ($plain) { # it does not stop after a trigger
        my %left = map { $_ => 1 } @{$expect->{left_in_queue} || []};
        @success = grep { !$left{$_->{$content}} } @success;
    }
    compare_list('success', $expect->{success}, @success);
    compare_list('failure', $expect->{failure}, lines_in('failure'));
    return if $plain;
    compare_set('left in queue', $expect->{left_in_queue} || [], lines_in('left'));
    compare_store($environment);
}

# ---- direct calls ----

# read, notify, complete: a trigger of wait completes what it has read; a notify between its two
# fetches is a fault.
sub drive_then
{
    my ($environment, $bin) = @_;
    my @ops = @{$case->{then}};
    my $shape = join ' ', map { $_->{op} } @ops;
    my @words = faults();
    if ($shape eq 'read') {
        compare_error(run('/dev/null', 'out', $environment, 'signalctl', '--nifi', 'show',
            bytes($ops[0]{id})));
        return;
    } elsif ($shape eq 'read notify complete') {
        push @words, "signal=2 $ops[1]{counter}";
    } elsif ($shape ne 'read complete') {
        say_wrong("this runner does not know $shape");
        return;
    }
    my $total = 0;
    $total += $_->{delta} for @{$case->{notify} || []};
    write_file('in', JSON::PP->new->utf8->encode({id => $ops[0]{id}}) . "\n");
    compare_error(run('in', 'out', {%$environment, FANLINE_CASE => join(';', @words)},
        "$bin/wait", '-q', '--nifi', '--triggers', 1, '-n', $total, '-s', '${id}', '--left=left',
        '--waiting=waiting'));
}

sub drive_protocol
{
    my ($environment, $bin) = @_;
    my %faults = (FANLINE_CASE => join(';', faults()), FANLINE_CASE_LOG => 'log');
    unlink 'log';
    my $status = 0;
    for my $n (@{$case->{notify} || []}) {
        $status = notify({%$environment, %faults}, "$bin/notify", $n) || $status;
    }
    my $attempts = length read_file('log');
    if ($case->{then}) {
        drive_then($environment, $bin);
    } else {
        compare_error($status);
    }
    my $want = $case->{expect}{attempts};
    say_wrong("$attempts attempts, expected $want") if defined $want && $attempts != $want;
    compare_reached($environment);
    compare_store($environment);
}

# A gate is open when the count is reached.
sub compare_reached
{
    my ($environment) = @_;
    for my $row (@{$case->{expect}{reached} || []}) {
        my ($id, $counter, $target, $want) = @$row;
        my @command = ('fanline', 'wait', '-q', '-x', '0', '-r', '0', '-n', $target);
        push @command, '-c', bytes($counter) if defined $counter;
        push @command, '--nifi' unless $plain;
        my $got = run('/dev/null', 'out', $environment, @command, '--', bytes($id)) == 0;
        say_wrong("$id: $target reached is wrong") if !$got != !$want;
    }
}

# ---- all of it ----

sub drive
{
    my ($environment, $bin, $foreign) = @_;
    fill_store($environment, $foreign);
    return if $bad;
    if ($case->{component} eq 'protocol') {
        drive_protocol($environment, $bin);
        return;
    }
    for my $n (@{$case->{notify} || []}) {
        my $status = notify($environment, 'notify', $n);
        say_wrong("notify $n->{id}: exit $status: " . read_file('err')) if $status != 0;
    }
    my %special = (FANLINE_CASE => join(';', faults()));
    $special{FANLINE_CASE_NOW} = $time if $case->{needs_fixed_clock};
    my $environment_at_fault = {%$environment, %special};
    if ($case->{component} eq 'wait') {
        drive_wait($environment_at_fault, $bin);
    } elsif ($case->{component} eq 'notify') {
        drive_notify($environment_at_fault, $bin);
    } else {
        say_wrong("this runner does not know the component $case->{component}");
    }
}

my $special = $case->{faults} || $case->{then} || $case->{needs_fixed_clock};
my $faults = $case->{faults} || {};
if ($plain) {
    exit 77 if $case->{quirk} || $case->{then} || ($case->{component} eq 'migrate');
    exit 77 if grep { $_ ne 'store_down' } keys %$faults; # races that one atomic step does not have
}
my $raw = grep { exists $_->{raw} || exists $_->{legacy_attributes} }
    values %{$case->{initial_store} || {}};
my $bin = $special ? $ENV{FANLINE_FAULTY} : $ENV{FANLINE_BIN};
my $redis = $ENV{FANLINE_CASES_REDIS} || '';
my ($socket) = $redis =~ m{^redis\+unix://(.*)$};
my @stores = ($raw ? () : "sqlite:store.db", $redis ? ($raw ? () : $redis) : ());
push @stores, "$redis?entries=nifi" if $redis && !$plain;
exit 77 unless @stores;
for my $store (@stores) {
    ($where) = $store =~ /entries=nifi/ ? 'NiFi entries' : $store =~ /^sqlite/ ? 'SQLite' : 'Redis';
    unlink glob 'store.db*';
    $store = 'redis+unix:///nonexistent/sock' if $plain && $faults->{store_down};
    run('/dev/null', 'out', {}, 'redis-cli', '-s', $socket, 'flushall') if $socket;
    drive({FANLINE_STORE => $store}, $bin, $socket);
}
exit $bad;
